//===- condition.h - Waiting on a condition variable ------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_CONDITION_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_CONDITION_H

#include "runtime/platform/libc.h"
#include "runtime/runtime.h"

namespace photofinish::rt {

/// A function that waits on a condition, with what it is called with. Not every such function
/// takes a time to wait for, or the clock of that time.
struct ConditionWait {
  int (*Wait)(const ConditionWait &);
  void *Condition;
  void *Mutex; ///< a pthread_mutex_t, or C11's mtx_t, which is one
  const timespec *Until;
  clockid_t Clock;
};

///   release(m) before the wait, acquire(m) after it, also if it ends by cancellation
int waitOnCondition(const ConditionWait &W, const pf_site *Site, void *Caller);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_CONDITION_H
