//===- rwlock.cpp - Read-write locks -----------------------------------------------===//
//
//   every earlier unlock(l) of a writer          -> every later rdlock(l)
//   every earlier unlock(l) of anybody           -> every later wrlock(l)
//
// Readers learn nothing from each other. unlock(l) is the same function for both; the runtime
// knows how the calling thread holds the lock.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/interpose.h"

using namespace photofinish::rt;

/// The lock has been taken, if Result says so.
static int tried(int Result, const pthread_rwlock_t *L, LockKind Kind, const pf_site *Site,
                 void *Caller) {
  if (Result == 0) {
    Entered E(Site, Caller);
    lockAcquired(E, L, Kind);
  }
  return Result;
}

// readAcquire(l) after rdlock(l)
PF_INTERCEPT(int, pthread_rwlock_rdlock, (pthread_rwlock_t * L)) {
  return tried(PF_REAL(pthread_rwlock_rdlock)(L), L, LockKind::RwLockShared,
               PF_FUNCTION_SITE("pthread_rwlock_rdlock"), PF_CALLER);
}

// readAcquire(l) after tryrdlock(l), if it is taken
PF_INTERCEPT(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * L)) {
  return tried(PF_REAL(pthread_rwlock_tryrdlock)(L), L, LockKind::RwLockShared,
               PF_FUNCTION_SITE("pthread_rwlock_tryrdlock"), PF_CALLER);
}

// readAcquire(l) after timedrdlock(l), if it is taken
PF_INTERCEPT(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * L, const timespec *Until)) {
  return tried(PF_REAL(pthread_rwlock_timedrdlock)(L, Until), L, LockKind::RwLockShared,
               PF_FUNCTION_SITE("pthread_rwlock_timedrdlock"), PF_CALLER);
}

// readAcquire(l) after clockrdlock(l), if it is taken
PF_INTERCEPT(int, pthread_rwlock_clockrdlock,
             (pthread_rwlock_t * L, clockid_t Clock, const timespec *Until)) {
  return tried(PF_REAL(pthread_rwlock_clockrdlock)(L, Clock, Until), L, LockKind::RwLockShared,
               PF_FUNCTION_SITE("pthread_rwlock_clockrdlock"), PF_CALLER);
}

// acquire(l) after wrlock(l)
PF_INTERCEPT(int, pthread_rwlock_wrlock, (pthread_rwlock_t * L)) {
  return tried(PF_REAL(pthread_rwlock_wrlock)(L), L, LockKind::RwLock,
               PF_FUNCTION_SITE("pthread_rwlock_wrlock"), PF_CALLER);
}

// acquire(l) after trywrlock(l), if it is taken
PF_INTERCEPT(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * L)) {
  return tried(PF_REAL(pthread_rwlock_trywrlock)(L), L, LockKind::RwLock,
               PF_FUNCTION_SITE("pthread_rwlock_trywrlock"), PF_CALLER);
}

// acquire(l) after timedwrlock(l), if it is taken
PF_INTERCEPT(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * L, const timespec *Until)) {
  return tried(PF_REAL(pthread_rwlock_timedwrlock)(L, Until), L, LockKind::RwLock,
               PF_FUNCTION_SITE("pthread_rwlock_timedwrlock"), PF_CALLER);
}

// acquire(l) after clockwrlock(l), if it is taken
PF_INTERCEPT(int, pthread_rwlock_clockwrlock,
             (pthread_rwlock_t * L, clockid_t Clock, const timespec *Until)) {
  return tried(PF_REAL(pthread_rwlock_clockwrlock)(L, Clock, Until), L, LockKind::RwLock,
               PF_FUNCTION_SITE("pthread_rwlock_clockwrlock"), PF_CALLER);
}

// release(l) or readRelease(l) before unlock(l)
PF_INTERCEPT(int, pthread_rwlock_unlock, (pthread_rwlock_t * L)) {
  {
    Entered E(PF_FUNCTION_SITE("pthread_rwlock_unlock"), PF_CALLER);
    lockReleased(E, L);
  }
  return PF_REAL(pthread_rwlock_unlock)(L);
}

/// The lock is new or gone, if Result says so.
static int remade(int Result, const pthread_rwlock_t *L, const pf_site *Site, void *Caller) {
  if (Result == 0) {
    Entered E(Site, Caller);
    lockForgotten(E, L);
  }
  return Result;
}

PF_INTERCEPT(int, pthread_rwlock_init, (pthread_rwlock_t * L, const pthread_rwlockattr_t *A)) {
  return remade(PF_REAL(pthread_rwlock_init)(L, A), L, PF_FUNCTION_SITE("pthread_rwlock_init"),
                PF_CALLER);
}

PF_INTERCEPT(int, pthread_rwlock_destroy, (pthread_rwlock_t * L)) {
  return remade(PF_REAL(pthread_rwlock_destroy)(L), L, PF_FUNCTION_SITE("pthread_rwlock_destroy"),
                PF_CALLER);
}
