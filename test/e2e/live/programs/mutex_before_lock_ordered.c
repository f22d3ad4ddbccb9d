//===- mutex_before_lock_ordered.c ----------------------------------------===//
//
// Lock order carries over what was done before the critical section.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *Argument) {
  X = 1;
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  X = 2;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
