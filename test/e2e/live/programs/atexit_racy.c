//===- atexit_racy.c ------------------------------------------------------===//
//
// Handlers of atexit race with threads that nobody waited for.
//
//===----------------------------------------------------------------------===//

// OUTPUT: 2
// STACK: handler

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int X;

static void handler(void) {
  X = 2; // RACE 1
  printf("%d\n", X);
}

static void *worker(void *Argument) {
  X = 1; // RACE 1
  done(1);
  await(1000);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  atexit(handler);
  pthread_create(&Thread, NULL, worker, NULL);
  await(1);
}
