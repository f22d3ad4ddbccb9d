//===- exception.cpp - Exceptions that several threads hold ---------------------===//
//
// An exception object is counted: by each handler that is in it, and by each std::exception_ptr.
// The C++ library, which is not instrumented, counts; whoever is last destroys and frees the
// object, after everything that the others did with it:
//
//   drop the reference to x:   release(x) before; if it was the last, acquire(x), then destroy x
//
// For this the runtime has to know which one is the last. So it counts for the library: it holds
// a reference of its own while a handler ends, drops references itself, and leaves only the
// last one to the library.
//
// Of libstdc++ only, whose objects have the layout below; those of others are left alone.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

/// The Itanium C++ ABI's __cxa_exception, in front of the object.
struct Header {
  void *Type; ///< of a rethrown exception_ptr (a dependent exception): the object
  void (*Destroy)(void *);
  void *Handlers[2];
  Header *Next;
  int HandlerCount;
  int SwitchValue;
  const void *Tables[2];
  void *CatchTemporary;
  void *Adjusted;
  alignas(16) uint64_t Class; ///< _Unwind_Exception begins
  void *Cleanup;
  uint64_t Private[2];
};
static_assert(sizeof(Header) == 112 && offsetof(Header, Class) == 80);

/// libstdc++'s counter is in front of that.
struct CountedHeader {
  std::atomic<int> Count;
  alignas(16) Header Exception;
};
static_assert(sizeof(CountedHeader) == 128);

struct Globals {
  Header *Caught;
  unsigned Uncaught;
};

constexpr uint64_t PrimaryClass = 0x474e5543432b2b00; // "GNUCC++\0"
constexpr uint64_t DependentClass = PrimaryClass + 1;

struct ExceptionPtr {
  void *Object;
};

std::atomic<int> &countOf(void *Object) {
  return (static_cast<CountedHeader *>(Object) - 1)->Count;
}

/// The object whose reference goes if the innermost handler ends; null if none does.
void *heldByHandler(const Globals *G) {
  Header *Caught = G ? G->Caught : nullptr;
  if (!Caught)
    return nullptr;
  // Of another language's exception, only this word is there.
  if (Caught->Class != PrimaryClass && Caught->Class != DependentClass)
    return nullptr;
  if (Caught->HandlerCount != 1)
    return nullptr;
  return Caught->Class == DependentClass ? Caught->Type : Caught + 1;
}

/// Drops a reference. True if it was the last, which is put back for the library to drop.
bool dropped(const pf_site *Site, void *Caller, void *Object) {
  if (mayEnter()) {
    Entered E(Site, Caller);
    channelReleased(E, channelAt(Object));
  }
  std::atomic<int> &Count = countOf(Object);
  // As the library does it: the last one sees what the others did.
  if (Count.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return false;
  Count.store(1, std::memory_order_relaxed);
  if (mayEnter()) {
    Entered E(Site, Caller);
    channelAcquired(E, channelAt(Object));
    channelForgotten(E, channelAt(Object));
  }
  return true;
}

} // namespace

extern "C" __attribute__((weak)) Globals *__cxa_get_globals_fast();

// std::__exception_ptr::exception_ptr::_M_release()
PF_INTERCEPT(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, (ExceptionPtr * This)) {
  void *Object = This->Object;
  if (!Object)
    return;
  if (dropped(PF_FUNCTION_SITE("std::exception_ptr"), PF_CALLER, Object))
    PF_REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(This);
  else
    This->Object = nullptr;
}

PF_INTERCEPT(void, __cxa_end_catch, ()) {
  void *Object = heldByHandler(__cxa_get_globals_fast());
  if (!Object) {
    PF_REAL(__cxa_end_catch)();
    return;
  }
  countOf(Object).fetch_add(1, std::memory_order_relaxed);
  PF_REAL(__cxa_end_catch)();
  ExceptionPtr Ours = {Object};
  if (dropped(PF_FUNCTION_SITE("__cxa_end_catch"), PF_CALLER, Object))
    PF_REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(&Ours);
}
