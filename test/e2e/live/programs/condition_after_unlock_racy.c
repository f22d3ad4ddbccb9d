//===- condition_after_unlock_racy.c --------------------------------------===//
//
// What the signaller does after its unlock is not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X, Ready;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void *producer(void *Argument) {
  await(1);
  pthread_mutex_lock(&Mutex);
  Ready = 1;
  pthread_mutex_unlock(&Mutex);
  X = 1; // RACE 1
  pthread_cond_signal(&Condition);
  done(2);
  return Argument;
}

static void *consumer(void *Argument) {
  pthread_mutex_lock(&Mutex);
  done(1);
  while (!Ready)
    pthread_cond_wait(&Condition, &Mutex);
  pthread_mutex_unlock(&Mutex);
  await(2);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(producer, consumer);
  printf("%d\ndone\n", X);
}
