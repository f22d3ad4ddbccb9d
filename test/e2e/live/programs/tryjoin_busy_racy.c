//===- tryjoin_busy_racy.c ------------------------------------------------===//
//
// A pthread_tryjoin_np that finds the thread running orders nothing.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "invisible.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int X;

static void *worker(void *Argument) {
  X = 1; // RACE 1
  done(1);
  await(2);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  await(1);
  int Busy = pthread_tryjoin_np(Thread, NULL) == EBUSY;
  X = 2; // RACE 1
  done(2);
  pthread_join(Thread, NULL);
  printf("%d %d\ndone\n", Busy, X);
}
