//===- signal_kill_racy.c -------------------------------------------------===//
//
// What is done after pthread_kill is not ordered with the handler.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int X;

static void handler(int Signal) {
  X = Signal; // RACE 1
  done(2);
}

static void *interrupted(void *Argument) {
  done(1);
  await(2);
  return Argument;
}

int main(void) {
  struct sigaction Action = {.sa_handler = handler};
  pthread_t Thread;
  sigaction(SIGUSR1, &Action, NULL);
  pthread_create(&Thread, NULL, interrupted, NULL);
  await(1);
  pthread_kill(Thread, SIGUSR1);
  await(2);
  X = 2; // RACE 1
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
