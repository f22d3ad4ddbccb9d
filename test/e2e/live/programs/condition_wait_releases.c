//===- condition_wait_releases.c ------------------------------------------===//
//
// pthread_cond_wait gives the mutex back: what came before is ordered.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X, Waiting, Woken;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void *waiter(void *Argument) {
  X = 1;
  pthread_mutex_lock(&Mutex);
  Waiting = 1;
  done(1);
  while (!Woken)
    pthread_cond_wait(&Condition, &Mutex);
  pthread_mutex_unlock(&Mutex);
  X++;
  return Argument;
}

static void *waker(void *Argument) {
  await(1);
  pthread_mutex_lock(&Mutex);
  X += Waiting;
  Woken = 1;
  pthread_cond_signal(&Condition);
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  runTwo(waiter, waker);
  printf("%d\ndone\n", X);
}
