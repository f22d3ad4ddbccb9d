//===- spinlock_racy.c ----------------------------------------------------===//
//
// A spin_trylock that fails orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Failed;
pthread_spinlock_t Lock;

static void *first(void *Argument) {
  pthread_spin_lock(&Lock);
  X = 1; // RACE 1
  done(1);
  await(2);
  pthread_spin_unlock(&Lock);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Failed = pthread_spin_trylock(&Lock) != 0;
  X = 2; // RACE 1
  done(2);
  return Argument;
}

int main(void) {
  pthread_spin_init(&Lock, PTHREAD_PROCESS_PRIVATE);
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Failed);
}
