//===- thread.h - What other families have to know about threads -----------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_THREAD_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_THREAD_H

#include "runtime/platform/libc.h"
#include "runtime/runtime.h"

namespace photofinish::rt {

/// What the system calls the calling thread.
int currentTid();
/// In the child of a fork, where it is called something else.
void forgetTid();

/// What the program wants to run in a new thread.
struct ThreadFunction {
  void *(*Posix)(void *);
  int (*C11)(void *); ///< if not null, this one
  void *Argument;
};
/// How a thread is created: Real gets the place of the handle, the attributes, and what its
/// start routine has to give to runThread. It returns 0 if there is a new thread.
using RealCreate = int (*)(pthread_t *Handle, const pthread_attr_t *Attributes, void *Start);
///   everything before -> the thread's first operation
int createThread(RealCreate Real, pthread_t *Handle, const pthread_attr_t *Attributes,
                 ThreadFunction Function, const pf_site *Site, void *Caller);
void *runThread(void *Start);

/// Has the thread's end noticed. For threads that createThread has not made.
void noticeEndOfThread();

/// A function that may wait for a thread, with what it is called with.
struct JoinCall {
  int (*Join)(JoinCall &);
  pthread_t Handle;
  void *Result; ///< where the thread's result goes, or null
  size_t ResultBytes;
  const timespec *Until;
  clockid_t Clock;
};
///   every operation of the thread -> the return
int joinThread(JoinCall Call, const pf_site *Site, void *Caller);
/// Nobody will join it, if Real succeeds.
int detachThread(int (*Real)(pthread_t), pthread_t Handle, const pf_site *Site, void *Caller);

/// A thread of ours, which the runtime knows nothing of.
int createUnseenThread(pthread_t *Handle, void *(*Function)(void *));
void joinUnseenThread(pthread_t Handle);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_THREAD_H
