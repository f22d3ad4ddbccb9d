//===- sigwait_ordered.c --------------------------------------------------===//
//
// pthread_kill orders before the sigwait that takes the signal.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int X;

static void *waiter(void *Argument) {
  sigset_t Set;
  int Signal;
  sigemptyset(&Set);
  sigaddset(&Set, SIGUSR1);
  sigwait(&Set, &Signal);
  X += Signal == SIGUSR1;
  return Argument;
}

int main(void) {
  sigset_t Set;
  pthread_t Thread;
  sigemptyset(&Set);
  sigaddset(&Set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &Set, NULL);
  pthread_create(&Thread, NULL, waiter, NULL);
  X = 1;
  pthread_kill(Thread, SIGUSR1);
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
