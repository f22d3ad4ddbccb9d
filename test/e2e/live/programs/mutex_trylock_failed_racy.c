//===- mutex_trylock_failed_racy.c ----------------------------------------===//
//
// A trylock that fails orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Failed;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *Argument) {
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  pthread_mutex_lock(&Mutex);
  X = 1; // RACE 1
  done(1);
  await(2);
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Failed = pthread_mutex_trylock(&Mutex) != 0;
  X = 2; // RACE 1
  done(2);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Failed);
}
