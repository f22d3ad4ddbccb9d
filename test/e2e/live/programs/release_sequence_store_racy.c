//===- release_sequence_store_racy.c --------------------------------------===//
//
// A relaxed store of another thread ends a release sequence.
//
//===----------------------------------------------------------------------===//

// MUST-SHOW-3

#include "invisible.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *head(void *Argument) {
  X = 1; // RACE 1
  atomic_store_explicit(&Flag, 1, memory_order_release);
  done(1);
  return Argument;
}

static void *middle(void *Argument) {
  await(1);
  atomic_store_explicit(&Flag, 2, memory_order_relaxed);
  done(2);
  return Argument;
}

static void *reader(void *Argument) {
  await(2);
  if (atomic_load_explicit(&Flag, memory_order_acquire) == 2)
    X = 2; // RACE 1
  return Argument;
}

int main(void) {
  void *(*Functions[3])(void *) = {head, middle, reader};
  pthread_t Threads[3];
  for (int I = 0; I < 3; I++)
    pthread_create(&Threads[I], NULL, Functions[I], NULL);
  for (int I = 0; I < 3; I++)
    pthread_join(Threads[I], NULL);
  printf("%d\ndone\n", X);
}
