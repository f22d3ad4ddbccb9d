//===- mutex.cpp - Mutexes of all kinds ------------------------------------------===//
//
//   every earlier unlock(m) -> every later successful lock(m), trylock, timedlock, clocklock
//
// A robust mutex whose holder has died is taken with EOWNERDEAD: the death was its release
// (thread.cpp tells it). What happens on unlock depends on the kind, too: a recursive mutex
// counts, which the runtime does as well, and kinds that know their holder refuse everybody
// else, which then must not be told as a release.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/mutex.h"

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/thread.h"

using namespace photofinish::rt;

bool photofinish::rt::mutexRefuses(const pthread_mutex_t *M) {
  // As glibc stores the kind; the bits are its ABI, because static initialisers contain them.
  constexpr int TypeBits = 3, RobustBit = 16, HolderBits = 0x3fffffff;
  int Kind = __atomic_load_n(&M->__data.__kind, __ATOMIC_RELAXED);
  int Type = Kind & TypeBits;
  if (Kind & RobustBit)
    return (__atomic_load_n(&M->__data.__lock, __ATOMIC_RELAXED) & HolderBits) != currentTid();
  if (Type == PTHREAD_MUTEX_RECURSIVE || Type == PTHREAD_MUTEX_ERRORCHECK)
    return __atomic_load_n(&M->__data.__owner, __ATOMIC_RELAXED) != currentTid();
  return false;
}

/// The mutex has been taken, if Result says so.
static int tried(int Result, const pthread_mutex_t *M, const pf_site *Site, void *Caller) {
  if (Result == 0 || Result == EOWNERDEAD) {
    Entered E(Site, Caller);
    lockAcquired(E, M, LockKind::Mutex);
  }
  return Result;
}

// acquire(m) after lock(m)
PF_INTERCEPT(int, pthread_mutex_lock, (pthread_mutex_t * M)) {
  return tried(PF_REAL(pthread_mutex_lock)(M), M, PF_FUNCTION_SITE("pthread_mutex_lock"),
               PF_CALLER);
}

// acquire(m) after trylock(m), if it is taken
PF_INTERCEPT(int, pthread_mutex_trylock, (pthread_mutex_t * M)) {
  return tried(PF_REAL(pthread_mutex_trylock)(M), M, PF_FUNCTION_SITE("pthread_mutex_trylock"),
               PF_CALLER);
}

// acquire(m) after timedlock(m), if it is taken
PF_INTERCEPT(int, pthread_mutex_timedlock, (pthread_mutex_t * M, const timespec *Until)) {
  return tried(PF_REAL(pthread_mutex_timedlock)(M, Until), M,
               PF_FUNCTION_SITE("pthread_mutex_timedlock"), PF_CALLER);
}

// acquire(m) after clocklock(m), if it is taken
PF_INTERCEPT(int, pthread_mutex_clocklock,
             (pthread_mutex_t * M, clockid_t Clock, const timespec *Until)) {
  return tried(PF_REAL(pthread_mutex_clocklock)(M, Clock, Until), M,
               PF_FUNCTION_SITE("pthread_mutex_clocklock"), PF_CALLER);
}

// release(m) before unlock(m)
PF_INTERCEPT(int, pthread_mutex_unlock, (pthread_mutex_t * M)) {
  if (!mutexRefuses(M)) {
    Entered E(PF_FUNCTION_SITE("pthread_mutex_unlock"), PF_CALLER);
    lockReleased(E, M);
  }
  return PF_REAL(pthread_mutex_unlock)(M);
}

/// The mutex is new or gone, if Result says so.
static int remade(int Result, const pthread_mutex_t *M, const pf_site *Site, void *Caller) {
  if (Result == 0) {
    Entered E(Site, Caller);
    lockForgotten(E, M);
  }
  return Result;
}

PF_INTERCEPT(int, pthread_mutex_init, (pthread_mutex_t * M, const pthread_mutexattr_t *A)) {
  return remade(PF_REAL(pthread_mutex_init)(M, A), M, PF_FUNCTION_SITE("pthread_mutex_init"),
                PF_CALLER);
}

PF_INTERCEPT(int, pthread_mutex_destroy, (pthread_mutex_t * M)) {
  return remade(PF_REAL(pthread_mutex_destroy)(M), M, PF_FUNCTION_SITE("pthread_mutex_destroy"),
                PF_CALLER);
}
