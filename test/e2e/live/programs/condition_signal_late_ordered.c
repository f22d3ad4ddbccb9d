//===- condition_signal_late_ordered.c ------------------------------------===//
//
// A signal after the unlock is fine: the lock orders, not the signal.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X, Ready;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void *producer(void *Argument) {
  pthread_mutex_lock(&Mutex);
  Ready = 1;
  X = 1;
  pthread_mutex_unlock(&Mutex);
  pthread_cond_broadcast(&Condition);
  return Argument;
}

static void *consumer(void *Argument) {
  pthread_mutex_lock(&Mutex);
  while (!Ready)
    pthread_cond_wait(&Condition, &Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  runTwo(producer, consumer);
  printf("%d\ndone\n", X);
}
