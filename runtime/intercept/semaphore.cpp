//===- semaphore.cpp - POSIX semaphores ----------------------------------------------===//
//
//   every earlier post(s) -> every later successful wait(s), trywait, timedwait, clockwait
//
// A named semaphore that is opened twice has one address, so that it is one channel.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/interpose.h"
#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

// release(s) before post(s)
PF_INTERCEPT(int, sem_post, (sem_t * S)) {
  {
    Entered E(PF_FUNCTION_SITE("sem_post"), PF_CALLER);
    channelReleased(E, channelAt(S));
  }
  return PF_REAL(sem_post)(S);
}

/// The semaphore has been decremented, if Result says so.
static int waited(int Result, const sem_t *S, const pf_site *Site, void *Caller) {
  if (Result == 0) {
    Entered E(Site, Caller);
    channelAcquired(E, channelAt(S));
  }
  return Result;
}

// acquire(s) after wait(s)
PF_INTERCEPT(int, sem_wait, (sem_t * S)) {
  return waited(PF_REAL(sem_wait)(S), S, PF_FUNCTION_SITE("sem_wait"), PF_CALLER);
}

// acquire(s) after trywait(s), if there was something to take
PF_INTERCEPT(int, sem_trywait, (sem_t * S)) {
  return waited(PF_REAL(sem_trywait)(S), S, PF_FUNCTION_SITE("sem_trywait"), PF_CALLER);
}

// acquire(s) after timedwait(s), if it was in time
PF_INTERCEPT(int, sem_timedwait, (sem_t * S, const timespec *Until)) {
  return waited(PF_REAL(sem_timedwait)(S, Until), S, PF_FUNCTION_SITE("sem_timedwait"), PF_CALLER);
}

// acquire(s) after clockwait(s), if it was in time
PF_INTERCEPT(int, sem_clockwait, (sem_t * S, clockid_t Clock, const timespec *Until)) {
  return waited(PF_REAL(sem_clockwait)(S, Clock, Until), S, PF_FUNCTION_SITE("sem_clockwait"),
                PF_CALLER);
}

PF_INTERCEPT(int, sem_init, (sem_t * S, int Shared, unsigned Value)) {
  int Result = PF_REAL(sem_init)(S, Shared, Value);
  if (Result == 0) {
    Entered E(PF_FUNCTION_SITE("sem_init"), PF_CALLER);
    channelForgotten(E, channelAt(S));
  }
  return Result;
}

PF_INTERCEPT(int, sem_destroy, (sem_t * S)) {
  int Result = PF_REAL(sem_destroy)(S);
  if (Result == 0) {
    Entered E(PF_FUNCTION_SITE("sem_destroy"), PF_CALLER);
    channelForgotten(E, channelAt(S));
  }
  return Result;
}

/// Is there memory at this address?
static bool isMapped(const void *Address) {
  constexpr uintptr_t PageBytes = 4096;
  unsigned char Resident;
  return os::call(SYS_mincore, long(reinterpret_cast<uintptr_t>(Address) & ~(PageBytes - 1)),
                  PageBytes, reinterpret_cast<long>(&Resident)) == 0;
}

// A semaphore that was opened more than once lives until it is closed as often.
PF_INTERCEPT(int, sem_close, (sem_t * S)) {
  int Result = PF_REAL(sem_close)(S);
  if (Result == 0 && !isMapped(S)) {
    Entered E(PF_FUNCTION_SITE("sem_close"), PF_CALLER);
    channelForgotten(E, channelAt(S));
  }
  return Result;
}
