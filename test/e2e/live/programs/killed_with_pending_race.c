//===- killed_with_pending_race.c ------------------------------------------===//
//
// A race is reported although another thread's signal, which nobody handles, ends the program, and
// neither thread has synchronized since. What the program asks about the signal is the default.
//
//===----------------------------------------------------------------------===//

// SIGNAL: TERM
// OUTPUT: default

#include "invisible.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int X;

static void *first(void *Argument) {
  X = 1; // RACE 1
  done(1);
  for (;;)
    pause();
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X = 2; // RACE 1
  done(2);
  for (;;)
    pause();
  return Argument;
}

int main(void) {
  struct sigaction Before;
  signal(SIGTERM, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  sigaction(SIGTERM, NULL, &Before);
  printf(Before.sa_handler == SIG_DFL ? "default\n" : "another\n");
  fflush(stdout);
  pthread_t Threads[2];
  pthread_create(&Threads[0], NULL, first, NULL);
  pthread_create(&Threads[1], NULL, second, NULL);
  await(2);
  raise(SIGTERM);
}
