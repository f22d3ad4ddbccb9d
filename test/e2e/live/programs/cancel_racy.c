//===- cancel_racy.c ------------------------------------------------------===//
//
// Cancelling a thread does not order what it did with the one who cancels.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;

static void *worker(void *Argument) {
  X = 1; // RACE 1
  done(1);
  await(2);
  pthread_testcancel();
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  await(1);
  pthread_cancel(Thread);
  X = 2; // RACE 1
  done(2);
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
