//===- barrier_same_side_racy.c -------------------------------------------===//
//
// Two threads on the same side of a barrier are not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_barrier_t Barrier;

static void *first(void *Argument) {
  pthread_barrier_wait(&Barrier);
  X = 1; // RACE 1
  done(1);
  pthread_barrier_wait(&Barrier);
  return Argument;
}

static void *second(void *Argument) {
  pthread_barrier_wait(&Barrier);
  await(1);
  X = 2; // RACE 1
  pthread_barrier_wait(&Barrier);
  return Argument;
}

int main(void) {
  pthread_barrier_init(&Barrier, NULL, 2);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
