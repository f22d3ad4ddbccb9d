//===- condition_ordered.c ------------------------------------------------===//
//
// A condition variable's mutex orders what its predicate guards.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X, Ready;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void *producer(void *Argument) {
  X = 1;
  pthread_mutex_lock(&Mutex);
  Ready = 1;
  pthread_cond_signal(&Condition);
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

static void *consumer(void *Argument) {
  pthread_mutex_lock(&Mutex);
  while (!Ready)
    pthread_cond_wait(&Condition, &Mutex);
  pthread_mutex_unlock(&Mutex);
  X++;
  return Argument;
}

int main(void) {
  runTwo(producer, consumer);
  printf("%d\ndone\n", X);
}
