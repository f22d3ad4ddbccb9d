//===- barrier_next_round_racy.c ------------------------------------------===//
//
// A round of a barrier is not ordered after the arrivals of the next one.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;
pthread_barrier_t Barrier;

// Leaves round 1, writes, and arrives for round 2 while the other has not acted after round 1.
static void *fast(void *Argument) {
  pthread_barrier_wait(&Barrier);
  X = 1; // RACE 1
  done(1);
  pthread_barrier_wait(&Barrier);
  return Argument;
}

static void *slow(void *Argument) {
  pthread_barrier_wait(&Barrier);
  await(1);
  X = 2; // RACE 1
  pthread_barrier_wait(&Barrier);
  X = 3;
  return Argument;
}

int main(void) {
  pthread_t Fast, Slow;
  pthread_barrier_init(&Barrier, NULL, 2);
  pthread_create(&Slow, NULL, slow, NULL);
  pthread_create(&Fast, NULL, fast, NULL);
  pthread_join(Fast, NULL);
  pthread_join(Slow, NULL);
  printf("%d\ndone\n", X);
}
