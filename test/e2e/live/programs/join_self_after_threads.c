//===- join_self_after_threads.c ------------------------------------------===//
//
// Joining oneself fails in a thread as well, and others work on.
//
//===----------------------------------------------------------------------===//

// MUST-SHOW-3

#include "invisible.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int X;
int Failures;

static void *worker(void *Argument) {
  Failures += pthread_join(pthread_self(), NULL) == EDEADLK;
  await(1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  int Failed = pthread_join(pthread_self(), NULL) == EDEADLK;
  X = 1; // RACE 1
  done(1);
  pthread_join(Thread, NULL);
  printf("%d %d %d\ndone\n", X, Failed, Failures);
}
