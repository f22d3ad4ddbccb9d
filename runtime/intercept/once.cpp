//===- once.cpp - pthread_once ------------------------------------------------------------===//
//
//   end of the function -> return of every call;  end of a call that threw -> the next try
//
// libstdc++'s std::call_once is built on pthread_once, C11's call_once works like it. The
// release must come before another thread can return, that is, right after the function and
// inside the real call: so the function is wrapped. It has no argument by which the wrapper
// could find it; the thread remembers it from the call to the beginning of the wrapper.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/once.h"

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/unwind.h"

using namespace photofinish::rt;

namespace {

struct Call {
  void *Control;
  void (*Function)();
  const pf_site *Site;
  void *Caller;

  void release() const {
    Entered E(Site, Caller);
    channelReleased(E, channelAt(Control));
  }
  void acquire() const {
    Entered E(Site, Caller);
    channelAcquired(E, channelAt(Control));
  }
};

__attribute__((tls_model("initial-exec"))) constinit thread_local const Call *Current = nullptr;

void runFunction() {
  // The function may well call pthread_once itself, for another object.
  Call C = *Current;
  C.acquire();
  callUnwindable([](void *Argument) { static_cast<Call *>(Argument)->Function(); }, &C,
                 [](void *Argument) { static_cast<Call *>(Argument)->release(); });
  C.release();
}

} // namespace

int photofinish::rt::callOnce(int (*Real)(void *Control, void (*Function)()), void *Control,
                              void (*Function)(), const pf_site *Site, void *Caller) {
  Call C{Control, Function, Site, Caller};
  const Call *Outer = Current;
  Current = &C;
  int Result = Real(Control, runFunction);
  Current = Outer;
  if (Result == 0)
    C.acquire();
  return Result;
}

// release(o) after the function, acquire(o) before every return
PF_INTERCEPT(int, pthread_once, (pthread_once_t * Control, void (*Function)())) {
  auto Real = [](void *C, void (*F)()) {
    return PF_REAL(pthread_once)(static_cast<pthread_once_t *>(C), F);
  };
  return callOnce(Real, Control, Function, PF_FUNCTION_SITE("pthread_once"), PF_CALLER);
}
