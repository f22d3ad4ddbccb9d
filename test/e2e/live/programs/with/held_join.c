//===- held_join.c ----------------------------------------------------------===//
//
// A pthread_join that, when it has been told to, keeps its caller for a while once the thread is
// joined: the detector's, which calls the next one in line, gets this one.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

static _Thread_local int *Holds, *IsHeld;

void holdNextJoin(int *Until, int *Reached) {
  Holds = Until;
  IsHeld = Reached;
}

int pthread_join(pthread_t Thread, void **Value) {
  int (*Real)(pthread_t, void **) = (int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
  int Result = Real(Thread, Value);
  int *Until = Holds;
  Holds = 0;
  if (Until) {
    __atomic_store_n(IsHeld, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(Until, __ATOMIC_ACQUIRE))
      sched_yield();
  }
  return Result;
}
