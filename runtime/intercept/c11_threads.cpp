//===- c11_threads.cpp - Threads, mutexes and conditions of C11 ------------------------===//
//
// The edges are those of the POSIX functions (thread.cpp, mutex.cpp, condition.cpp, once.cpp),
// and so are the objects. But glibc's C11 functions call its POSIX ones by internal names, so
// that nobody sees them. tss_t is a key like any other and needs nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/condition.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/mutex.h"
#include "runtime/intercept/once.h"
#include "runtime/intercept/thread.h"

using namespace photofinish::rt;

// fork(u) before create(u)
PF_INTERCEPT(int, thrd_create, (thrd_t * Handle, thrd_start_t Function, void *Argument)) {
  auto Real = [](pthread_t *H, const pthread_attr_t *, void *Start) {
    return PF_REAL(thrd_create)(
        H, [](void *S) { return int(reinterpret_cast<intptr_t>(runThread(S))); }, Start);
  };
  return createThread(Real, Handle, nullptr, {nullptr, Function, Argument},
                      PF_FUNCTION_SITE("thrd_create"), PF_CALLER);
}

// join(u) after join(u)
PF_INTERCEPT(int, thrd_join, (thrd_t Handle, int *Result)) {
  auto Join = [](JoinCall &C) {
    return PF_REAL(thrd_join)(C.Handle, static_cast<int *>(C.Result));
  };
  return joinThread({Join, Handle, Result, sizeof(*Result), nullptr, 0},
                    PF_FUNCTION_SITE("thrd_join"), PF_CALLER);
}

PF_INTERCEPT(int, thrd_detach, (thrd_t Handle)) {
  auto Real = [](pthread_t H) { return PF_REAL(thrd_detach)(H); };
  return detachThread(Real, Handle, PF_FUNCTION_SITE("thrd_detach"), PF_CALLER);
}

// end(u), also of the main thread
PF_INTERCEPT(void, thrd_exit, (int Result)) {
  noticeEndOfThread();
  PF_REAL(thrd_exit)(Result);
  __builtin_unreachable();
}

/// The mutex has been taken, if Result says so.
static int tried(int Result, const mtx_t *M, const pf_site *Site, void *Caller) {
  if (Result == thrd_success) {
    Entered E(Site, Caller);
    lockAcquired(E, M, LockKind::Mutex);
  }
  return Result;
}

// acquire(m) after lock(m)
PF_INTERCEPT(int, mtx_lock, (mtx_t * M)) {
  return tried(PF_REAL(mtx_lock)(M), M, PF_FUNCTION_SITE("mtx_lock"), PF_CALLER);
}

// acquire(m) after trylock(m), if it is taken
PF_INTERCEPT(int, mtx_trylock, (mtx_t * M)) {
  return tried(PF_REAL(mtx_trylock)(M), M, PF_FUNCTION_SITE("mtx_trylock"), PF_CALLER);
}

// acquire(m) after timedlock(m), if it is taken
PF_INTERCEPT(int, mtx_timedlock, (mtx_t * M, const timespec *Until)) {
  return tried(PF_REAL(mtx_timedlock)(M, Until), M, PF_FUNCTION_SITE("mtx_timedlock"), PF_CALLER);
}

// release(m) before unlock(m)
PF_INTERCEPT(int, mtx_unlock, (mtx_t * M)) {
  if (!mutexRefuses(reinterpret_cast<const pthread_mutex_t *>(M))) {
    Entered E(PF_FUNCTION_SITE("mtx_unlock"), PF_CALLER);
    lockReleased(E, M);
  }
  return PF_REAL(mtx_unlock)(M);
}

PF_INTERCEPT(int, mtx_init, (mtx_t * M, int Type)) {
  int Result = PF_REAL(mtx_init)(M, Type);
  if (Result == thrd_success) {
    Entered E(PF_FUNCTION_SITE("mtx_init"), PF_CALLER);
    lockForgotten(E, M);
  }
  return Result;
}

PF_INTERCEPT(void, mtx_destroy, (mtx_t * M)) {
  PF_REAL(mtx_destroy)(M);
  Entered E(PF_FUNCTION_SITE("mtx_destroy"), PF_CALLER);
  lockForgotten(E, M);
}

// release(m) before wait(c,m), acquire(m) after it
PF_INTERCEPT(int, cnd_wait, (cnd_t * C, mtx_t *M)) {
  auto Wait = [](const ConditionWait &W) {
    return PF_REAL(cnd_wait)(static_cast<cnd_t *>(W.Condition), static_cast<mtx_t *>(W.Mutex));
  };
  return waitOnCondition({Wait, C, M, nullptr, 0}, PF_FUNCTION_SITE("cnd_wait"), PF_CALLER);
}

// release(m) before timedwait(c,m), acquire(m) after it, in time or not
PF_INTERCEPT(int, cnd_timedwait, (cnd_t * C, mtx_t *M, const timespec *Until)) {
  auto Wait = [](const ConditionWait &W) {
    return PF_REAL(cnd_timedwait)(static_cast<cnd_t *>(W.Condition), static_cast<mtx_t *>(W.Mutex),
                                  W.Until);
  };
  return waitOnCondition({Wait, C, M, Until, 0}, PF_FUNCTION_SITE("cnd_timedwait"), PF_CALLER);
}

// release(o) after the function, acquire(o) before every return
PF_INTERCEPT(void, call_once, (once_flag * Control, void (*Function)())) {
  auto Real = [](void *C, void (*F)()) {
    PF_REAL(call_once)(static_cast<once_flag *>(C), F);
    return 0;
  };
  callOnce(Real, Control, Function, PF_FUNCTION_SITE("call_once"), PF_CALLER);
}
