//===- mutex_different_racy.c ---------------------------------------------===//
//
// Two mutexes order nothing, and the report names them.
//
//===----------------------------------------------------------------------===//

// KIND: write/write
// STDERR: FirstMutex
// STDERR: SecondMutex

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t FirstMutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t SecondMutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *Argument) {
  pthread_mutex_lock(&FirstMutex);
  X = 1; // RACE 1
  pthread_mutex_unlock(&FirstMutex);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_mutex_lock(&SecondMutex);
  X = 2; // RACE 1
  pthread_mutex_unlock(&SecondMutex);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
