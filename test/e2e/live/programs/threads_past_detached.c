//===- threads_past_detached.c --------------------------------------------===//
//
// As before, with a detached writer among detached threads.
//
//===----------------------------------------------------------------------===//

// KIND: write/write

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;
int Y[2];

static void *writer(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *other(void *Argument) {
  Y[0] = 0;
  arrive();
  return Argument;
}

static void *last(void *Argument) {
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, writer, NULL);
  pthread_detach(Thread);
  await(1);
  pthread_create(&Thread, NULL, other, NULL);
  pthread_join(Thread, NULL);
  for (int I = 0; I < 2000; I++) {
    pthread_create(&Thread, NULL, other, NULL);
    pthread_join(Thread, NULL);
  }
  pthread_create(&Thread, NULL, last, NULL);
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
