//===- condition.cpp - Condition variables -------------------------------------------===//
//
//   wait(c,m) = release(m), sleep, acquire(m)
//
// Signalling makes no edge of its own, so that signal, broadcast, init and destroy are left
// alone: whoever changes what is waited for does so under the mutex, and that orders. When a
// waiting thread is cancelled, it holds the mutex again before its cleanup handlers run.
//
// glibc has kept the functions as they were before version 2.3.2, with the same names.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/condition.h"

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/mutex.h"
#include "runtime/intercept/unwind.h"

using namespace photofinish::rt;

namespace {

struct Waiting {
  const ConditionWait &Call;
  const pf_site *Site;
  void *Caller;
  unsigned Count; ///< how often the mutex was held
  int Result;
};

void sleep(void *Argument) {
  auto *W = static_cast<Waiting *>(Argument);
  W->Result = W->Call.Wait(W->Call);
}

void takeAgain(void *Argument) {
  auto *W = static_cast<Waiting *>(Argument);
  Entered E(W->Site, W->Caller);
  lockAcquiredAgain(E, W->Call.Mutex, LockKind::Mutex, W->Count);
}

} // namespace

int photofinish::rt::waitOnCondition(const ConditionWait &Call, const pf_site *Site, void *Caller) {
  if (mutexRefuses(static_cast<const pthread_mutex_t *>(Call.Mutex)))
    return Call.Wait(Call);
  Waiting W{Call, Site, Caller, 0, 0};
  {
    Entered E(Site, Caller);
    W.Count = lockReleasedWholly(E, Call.Mutex);
  }
  callUnwindable(sleep, &W, takeAgain);
  // All other errors are found before the mutex is given back, or after it has been taken again.
  if (W.Result != ENOTRECOVERABLE)
    takeAgain(&W);
  return W.Result;
}

static pthread_cond_t *condition(const ConditionWait &W) {
  return static_cast<pthread_cond_t *>(W.Condition);
}
static pthread_mutex_t *mutex(const ConditionWait &W) {
  return static_cast<pthread_mutex_t *>(W.Mutex);
}

// release(m) before wait(c,m), acquire(m) after it
PF_INTERCEPT_VERSION(int, pthread_cond_wait, "GLIBC_2.3.2",
                     (pthread_cond_t * C, pthread_mutex_t *M)) {
  auto Wait = [](const ConditionWait &W) {
    return PF_REAL(pthread_cond_wait)(condition(W), mutex(W));
  };
  return waitOnCondition({Wait, C, M, nullptr, 0}, PF_FUNCTION_SITE("pthread_cond_wait"),
                         PF_CALLER);
}

// release(m) before timedwait(c,m), acquire(m) after it, in time or not
PF_INTERCEPT_VERSION(int, pthread_cond_timedwait, "GLIBC_2.3.2",
                     (pthread_cond_t * C, pthread_mutex_t *M, const timespec *Until)) {
  auto Wait = [](const ConditionWait &W) {
    return PF_REAL(pthread_cond_timedwait)(condition(W), mutex(W), W.Until);
  };
  return waitOnCondition({Wait, C, M, Until, 0}, PF_FUNCTION_SITE("pthread_cond_timedwait"),
                         PF_CALLER);
}

// release(m) before clockwait(c,m), acquire(m) after it, in time or not
PF_INTERCEPT(int, pthread_cond_clockwait,
             (pthread_cond_t * C, pthread_mutex_t *M, clockid_t Clock, const timespec *Until)) {
  auto Wait = [](const ConditionWait &W) {
    return PF_REAL(pthread_cond_clockwait)(condition(W), mutex(W), W.Clock, W.Until);
  };
  return waitOnCondition({Wait, C, M, Until, Clock}, PF_FUNCTION_SITE("pthread_cond_clockwait"),
                         PF_CALLER);
}
