//===- spinlock.cpp - Spin locks ----------------------------------------------------===//
//
//   every earlier unlock(l) -> every later lock(l), and trylock(l) that takes it
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/interpose.h"

using namespace photofinish::rt;

/// pthread_spinlock_t is a volatile int; the runtime only wants to know where it is.
static const void *place(pthread_spinlock_t *L) { return const_cast<const int *>(L); }

// acquire(l) after lock(l)
PF_INTERCEPT(int, pthread_spin_lock, (pthread_spinlock_t * L)) {
  int Result = PF_REAL(pthread_spin_lock)(L);
  if (Result == 0) {
    Entered E(PF_FUNCTION_SITE("pthread_spin_lock"), PF_CALLER);
    lockAcquired(E, place(L), LockKind::SpinLock);
  }
  return Result;
}

// acquire(l) after trylock(l), if it is taken
PF_INTERCEPT(int, pthread_spin_trylock, (pthread_spinlock_t * L)) {
  int Result = PF_REAL(pthread_spin_trylock)(L);
  if (Result == 0) {
    Entered E(PF_FUNCTION_SITE("pthread_spin_trylock"), PF_CALLER);
    lockAcquired(E, place(L), LockKind::SpinLock);
  }
  return Result;
}

// release(l) before unlock(l)
PF_INTERCEPT(int, pthread_spin_unlock, (pthread_spinlock_t * L)) {
  {
    Entered E(PF_FUNCTION_SITE("pthread_spin_unlock"), PF_CALLER);
    lockReleased(E, place(L));
  }
  return PF_REAL(pthread_spin_unlock)(L);
}

PF_INTERCEPT(int, pthread_spin_init, (pthread_spinlock_t * L, int Shared)) {
  {
    Entered E(PF_FUNCTION_SITE("pthread_spin_init"), PF_CALLER);
    lockForgotten(E, place(L));
  }
  return PF_REAL(pthread_spin_init)(L, Shared);
}

PF_INTERCEPT(int, pthread_spin_destroy, (pthread_spinlock_t * L)) {
  {
    Entered E(PF_FUNCTION_SITE("pthread_spin_destroy"), PF_CALLER);
    lockForgotten(E, place(L));
  }
  return PF_REAL(pthread_spin_destroy)(L);
}
