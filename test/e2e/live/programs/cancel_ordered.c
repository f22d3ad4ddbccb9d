//===- cancel_ordered.c ---------------------------------------------------===//
//
// A cancelled thread runs its cleanup handlers, and its join orders them.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int X;

static void cleanup(void *Argument) { *(int *)Argument = 7; }

static void *worker(void *Argument) {
  pthread_cleanup_push(cleanup, &X);
  X = 1;
  done(1);
  for (;;)
    pause();
  pthread_cleanup_pop(0);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  void *Result;
  pthread_create(&Thread, NULL, worker, NULL);
  await(1);
  pthread_cancel(Thread);
  pthread_join(Thread, &Result);
  X++;
  printf("%d %d\ndone\n", X, Result == PTHREAD_CANCELED);
}
