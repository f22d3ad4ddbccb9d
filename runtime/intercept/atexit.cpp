//===- atexit.cpp - Functions that run at exit --------------------------------------------===//
//
//   registration -> the handler's first operation
//
// Destructors of static objects are registered with __cxa_atexit, and atexit comes down to it,
// too: it is linked into every program and library. Destructors of thread-local objects run in
// the thread that has registered them, and need nothing.
//
//===----------------------------------------------------------------------===//

#include "detector/host.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/process.h"

#include <new>

using namespace photofinish;
using namespace photofinish::rt;

namespace {

/// A handler of the program and its argument. Its address is also the channel.
template <class Fn> struct Handler {
  Fn *Function;
  void *Argument;

  /// release(h)
  static Handler *registered(Entered &E, Fn *Function, void *Argument) {
    auto *H = new (host::allocate(sizeof(Handler))) Handler{Function, Argument};
    channelReleased(E, channelAt(H));
    return H;
  }
  /// acquire(h); it runs once.
  static Handler runs(void *Registered) {
    Entered E(PF_FUNCTION_SITE("exit"));
    auto *H = static_cast<Handler *>(Registered);
    Handler Copy = *H;
    channelAcquired(E, channelAt(H));
    channelForgotten(E, channelAt(H));
    host::release(H, sizeof(Handler));
    return Copy;
  }
  /// It could not be registered after all.
  static void drop(const pf_site *Site, Handler *H) {
    Entered E(Site);
    channelForgotten(E, channelAt(H));
    host::release(H, sizeof(Handler));
  }
};

using AtExit = Handler<void(void *)>;
using OnExit = Handler<void(int, void *)>;

void runAtExit(void *Registered) {
  AtExit H = AtExit::runs(Registered);
  H.Function(H.Argument);
}

void runOnExit(int Code, void *Registered) {
  OnExit H = OnExit::runs(Registered);
  H.Function(Code, H.Argument);
}

} // namespace

// release(h) at registration, acquire(h) before the handler
PF_INTERCEPT(int, __cxa_atexit, (void (*Function)(void *), void *Argument, void *Library)) {
  const pf_site *Site = PF_FUNCTION_SITE("__cxa_atexit");
  AtExit *H;
  {
    Entered E(Site, PF_CALLER);
    H = AtExit::registered(E, Function, Argument);
  }
  int Result = PF_REAL(__cxa_atexit)(runAtExit, H, Library);
  if (Result != 0)
    AtExit::drop(Site, H);
  return Result;
}

// release(h) at registration, acquire(h) before the handler
PF_INTERCEPT(int, on_exit, (void (*Function)(int, void *), void *Argument)) {
  const pf_site *Site = PF_FUNCTION_SITE("on_exit");
  OnExit *H;
  {
    Entered E(Site, PF_CALLER);
    H = OnExit::registered(E, Function, Argument);
  }
  int Result = PF_REAL(on_exit)(runOnExit, H);
  if (Result != 0)
    OnExit::drop(Site, H);
  return Result;
}

// at_quick_exit comes down to this one. Its handlers get no argument by which ours could find
// the program's: all registrations are one channel, which quick_exit (process.cpp) acquires.
//
// release(quick exit) at registration
PF_INTERCEPT(int, __cxa_at_quick_exit, (void (*Function)(void *), void *Library)) {
  {
    Entered E(PF_FUNCTION_SITE("at_quick_exit"), PF_CALLER);
    channelReleased(E, channelFor(ExitChannel, 0));
  }
  return PF_REAL(__cxa_at_quick_exit)(Function, Library);
}

void rt::callLastAtExit(void (*Function)(int Code, void *), void *Argument) {
  PF_REAL(on_exit)(Function, Argument);
}

void rt::callLastAtQuickExit(void (*Function)(void *)) {
  PF_REAL(__cxa_at_quick_exit)(Function, nullptr);
}
