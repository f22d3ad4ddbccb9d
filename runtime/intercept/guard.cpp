//===- guard.cpp - Static locals, and libc++'s std::call_once -------------------------===//
//
//   end of the initialisation -> everybody who finds it done
//   end of an initialisation that threw -> the next try
//
// A static local has a guard of eight bytes. Compilers look at its first byte themselves, by
// an acquire load, which the pass instruments like any other; only if it is 0 they call the
// functions below. For the edge to reach those who never call, the byte's last store must be
// known to the runtime as the atomic operation that it is. The C++ library's own code is not
// instrumented, so these functions are not wrappers but the whole implementation (Itanium C++
// ABI, 3.3.3). libc++'s std::call_once has the same shape: inline code loads eight bytes, and
// the rest is a function of the library.
//
//                   63        32 31        17 16        9  8        1  0
//   guard          [ holder     |            | waiting | | pending | | done ]
//   libc++'s flag  [ holder     |                    waiting, pending: 1, 0 ]   done: all ones
//
// The holder is the thread that initialises: if it comes again, it would wait for itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/message.h"
#include "runtime/intercept/atomic_entry.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/thread.h"
#include "runtime/intercept/unwind.h"
#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

namespace {

/// An object that is initialised once: its word, and what the values in it are.
class OnceWord {
public:
  struct Values {
    uint64_t Done, Pending, Waiting;
    uint64_t LoadedBytes; ///< how much of it compilers look at
  };

  OnceWord(void *Object, const Values &V)
      : Word(*static_cast<std::atomic<uint64_t> *>(Object)), V(V) {}

  /// True: the caller has to initialise, and to call finish or abandon. False: it is done.
  bool begin(const pf_site *Site, void *Caller);
  void finish(const pf_site *Site, void *Caller) { set(V.Done, Site, Caller); }
  void abandon(const pf_site *Site, void *Caller) { set(0, Site, Caller); }

private:
  void set(uint64_t Value, const pf_site *Site, void *Caller);

  std::atomic<uint64_t> &Word;
  const Values &V;
};

[[noreturn]] void failOnRecursion(const pf_site *Site) {
  complain(reinterpret_cast<const char *>(&Site->function) + Site->function,
           ": the initialisation of an object waits for its own end; the program would hang here");
  abort();
}

bool OnceWord::begin(const pf_site *Site, void *Caller) {
  const uint64_t Mine = uint64_t(currentTid()) << 32 | V.Pending;
  bool IsMine;
  for (;;) {
    uint64_t Seen = 0;
    // Acquire: sees what the one before has done, complete or not.
    IsMine = Word.compare_exchange_strong(Seen, Mine, std::memory_order_acquire);
    if (IsMine || Seen == V.Done)
      break;
    if ((Seen & ~V.Waiting) == Mine)
      failOnRecursion(Site);
    if (Seen & V.Waiting ||
        Word.compare_exchange_strong(Seen, Seen | V.Waiting, std::memory_order_relaxed))
      os::wait(&Word, uint32_t(Seen | V.Waiting)); // the lower half, which comes first in memory
  }
  Entered E(Site, Caller);
  __pf_atomic_begin(&Word, V.LoadedBytes, Site);
  Word.load(std::memory_order_acquire);
  __pf_atomic_end(&Word, V.LoadedBytes, PF_ATOMIC_LOAD, PF_ACQUIRE, Site);
  return IsMine;
}

void OnceWord::set(uint64_t Value, const pf_site *Site, void *Caller) {
  uint64_t Before;
  {
    Entered E(Site, Caller);
    __pf_atomic_begin(&Word, V.LoadedBytes, Site);
    // Release: whoever sees the value sees the initialisation.
    Before = Word.exchange(Value, std::memory_order_release);
    __pf_atomic_end(&Word, V.LoadedBytes, PF_ATOMIC_STORE, PF_RELEASE, Site);
  }
  if (Before & V.Waiting)
    os::wake(&Word, INT32_MAX);
}

constexpr OnceWord::Values Guard{1, 1 << 8, 1 << 16, 1};
constexpr OnceWord::Values LibcxxFlag{~UINT64_C(0), 1, 2, 8};

} // namespace

// acquire(g) in either case
PF_INTERCEPT(int, __cxa_guard_acquire, (uint64_t *G)) {
  return OnceWord(G, Guard).begin(PF_FUNCTION_SITE("__cxa_guard_acquire"), PF_CALLER);
}

// release(g), and the byte is not 0 any more
PF_INTERCEPT(void, __cxa_guard_release, (uint64_t *G)) {
  OnceWord(G, Guard).finish(PF_FUNCTION_SITE("__cxa_guard_release"), PF_CALLER);
}

// release(g), for the next try
PF_INTERCEPT(void, __cxa_guard_abort, (uint64_t *G)) {
  OnceWord(G, Guard).abandon(PF_FUNCTION_SITE("__cxa_guard_abort"), PF_CALLER);
}

// std::__1::__call_once(unsigned long volatile &, void *, void (*)(void *))
//
// release(o) after the function, acquire(o) before every return
PF_INTERCEPT(void, _ZNSt3__111__call_onceERVmPvPFvS2_E,
             (uint64_t *Flag, void *Argument, void (*Function)(void *))) {
  struct Call {
    OnceWord Word;
    void *Argument;
    void (*Function)(void *);
    const pf_site *Site;
    void *Caller;
  } C{{Flag, LibcxxFlag}, Argument, Function, PF_FUNCTION_SITE("std::call_once"), PF_CALLER};
  if (!C.Word.begin(C.Site, C.Caller))
    return;
  callUnwindable(
      [](void *A) { static_cast<Call *>(A)->Function(static_cast<Call *>(A)->Argument); }, &C,
      [](void *A) {
        auto *Left = static_cast<Call *>(A);
        Left->Word.abandon(Left->Site, Left->Caller);
      });
  C.Word.finish(C.Site, C.Caller);
}
