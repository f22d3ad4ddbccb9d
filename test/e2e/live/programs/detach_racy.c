//===- detach_racy.c ------------------------------------------------------===//
//
// A detached thread that has ended is still not ordered before anybody.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;

static void *worker(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_detach(Thread);
  await(1);
  X = 2; // RACE 1
  printf("%d\ndone\n", X);
}
