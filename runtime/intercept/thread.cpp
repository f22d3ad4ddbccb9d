//===- thread.cpp - POSIX threads -----------------------------------------------------------===//
//
//   create(u) -> begin(u),  end(u) -> join(u)
//
// How the edges are made is in thread_life.cpp. Cancellation makes none by itself: POSIX does
// not list pthread_cancel among the functions that synchronize memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/thread.h"

#include "runtime/intercept/interpose.h"

using namespace photofinish::rt;

// fork(u) before create(u)
PF_INTERCEPT(int, pthread_create,
             (pthread_t * Handle, const pthread_attr_t *Attributes, void *(*Function)(void *),
              void *Argument)) {
  auto Real = [](pthread_t *H, const pthread_attr_t *A, void *Start) {
    return PF_REAL(pthread_create)(H, A, runThread, Start);
  };
  return createThread(Real, Handle, Attributes, {Function, nullptr, Argument},
                      PF_FUNCTION_SITE("pthread_create"), PF_CALLER);
}

// join(u) after join(u); a thread that waits for itself gets EDEADLK
PF_INTERCEPT(int, pthread_join, (pthread_t Handle, void **Result)) {
  auto Join = [](JoinCall &C) {
    return PF_REAL(pthread_join)(C.Handle, static_cast<void **>(C.Result));
  };
  return joinThread({Join, Handle, Result, sizeof(*Result), nullptr, 0},
                    PF_FUNCTION_SITE("pthread_join"), PF_CALLER);
}

// join(u) after tryjoin(u), if u is over
PF_INTERCEPT(int, pthread_tryjoin_np, (pthread_t Handle, void **Result)) {
  auto Join = [](JoinCall &C) {
    return PF_REAL(pthread_tryjoin_np)(C.Handle, static_cast<void **>(C.Result));
  };
  return joinThread({Join, Handle, Result, sizeof(*Result), nullptr, 0},
                    PF_FUNCTION_SITE("pthread_tryjoin_np"), PF_CALLER);
}

// join(u) after timedjoin(u), if u is over in time
PF_INTERCEPT(int, pthread_timedjoin_np, (pthread_t Handle, void **Result, const timespec *Until)) {
  auto Join = [](JoinCall &C) {
    return PF_REAL(pthread_timedjoin_np)(C.Handle, static_cast<void **>(C.Result), C.Until);
  };
  return joinThread({Join, Handle, Result, sizeof(*Result), Until, 0},
                    PF_FUNCTION_SITE("pthread_timedjoin_np"), PF_CALLER);
}

// join(u) after clockjoin(u), if u is over in time
PF_INTERCEPT(int, pthread_clockjoin_np,
             (pthread_t Handle, void **Result, clockid_t Clock, const timespec *Until)) {
  auto Join = [](JoinCall &C) {
    return PF_REAL(pthread_clockjoin_np)(C.Handle, static_cast<void **>(C.Result), C.Clock,
                                         C.Until);
  };
  return joinThread({Join, Handle, Result, sizeof(*Result), Until, Clock},
                    PF_FUNCTION_SITE("pthread_clockjoin_np"), PF_CALLER);
}

PF_INTERCEPT(int, pthread_detach, (pthread_t Handle)) {
  auto Real = [](pthread_t H) { return PF_REAL(pthread_detach)(H); };
  return detachThread(Real, Handle, PF_FUNCTION_SITE("pthread_detach"), PF_CALLER);
}

// end(u), also of the main thread
PF_INTERCEPT(void, pthread_exit, (void *Result)) {
  noticeEndOfThread();
  PF_REAL(pthread_exit)(Result);
  __builtin_unreachable();
}

PF_INTERCEPT(int, pthread_setname_np, (pthread_t Handle, const char *Name)) {
  int Result = PF_REAL(pthread_setname_np)(Handle, Name);
  if (Result == 0) {
    Entered E(PF_FUNCTION_SITE("pthread_setname_np"), PF_CALLER);
    threadNamed(E, uintptr_t(Handle), Name);
  }
  return Result;
}

// The other way in which a thread gives itself a name.
PF_INTERCEPT(int, prctl, (int Option, ...)) {
  va_list Arguments;
  va_start(Arguments, Option);
  unsigned long A = va_arg(Arguments, unsigned long), B = va_arg(Arguments, unsigned long),
                C = va_arg(Arguments, unsigned long), D = va_arg(Arguments, unsigned long);
  va_end(Arguments);
  int Result = PF_REAL(prctl)(Option, A, B, C, D);
  if (Result == 0 && Option == PR_SET_NAME) {
    Entered E(PF_FUNCTION_SITE("prctl"), PF_CALLER);
    threadNamed(E, uintptr_t(pthread_self()), reinterpret_cast<const char *>(A));
  }
  return Result;
}

int photofinish::rt::createUnseenThread(pthread_t *Handle, void *(*Function)(void *)) {
  return PF_REAL(pthread_create)(Handle, nullptr, Function, nullptr);
}

void photofinish::rt::joinUnseenThread(pthread_t Handle) { PF_REAL(pthread_join)(Handle, nullptr); }
