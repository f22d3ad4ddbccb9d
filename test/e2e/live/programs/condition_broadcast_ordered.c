//===- condition_broadcast_ordered.c --------------------------------------===//
//
// A broadcast wakes all, one after the other.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

enum { Waiters = 10 };
int X, Ready;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void *waiter(void *Argument) {
  pthread_mutex_lock(&Mutex);
  arrive();
  while (!Ready)
    pthread_cond_wait(&Condition, &Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  pthread_t Threads[Waiters];
  for (int I = 0; I < Waiters; I++)
    pthread_create(&Threads[I], NULL, waiter, NULL);
  await(Waiters);
  pthread_mutex_lock(&Mutex);
  Ready = X + 1;
  pthread_cond_broadcast(&Condition);
  pthread_mutex_unlock(&Mutex);
  for (int I = 0; I < Waiters; I++)
    pthread_join(Threads[I], NULL);
  printf("%d\ndone\n", X);
}
