//===- condition_timedwait_ordered.c --------------------------------------===//
//
// A timed wait takes the mutex again, woken or not.
//
//===----------------------------------------------------------------------===//

// NO RACE

#define _GNU_SOURCE
#include "invisible.h"
#include "two_threads.h"
#include <errno.h>
#include <stdio.h>
#include <time.h>

int X, Ready;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void *waiter(void *Argument) {
  struct timespec Past = {.tv_sec = 1}, Late = {.tv_sec = time(NULL) + 1000}, Clock;
  clock_gettime(CLOCK_MONOTONIC, &Clock);
  Clock.tv_sec += 1000;
  pthread_mutex_lock(&Mutex);
  X = 1;
  if (pthread_cond_timedwait(&Condition, &Mutex, &Past) == ETIMEDOUT)
    X++;
  while (Ready == 0)
    pthread_cond_timedwait(&Condition, &Mutex, &Late);
  X++;
  while (Ready == 1)
    pthread_cond_clockwait(&Condition, &Mutex, CLOCK_MONOTONIC, &Clock);
  X++;
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

static void *waker(void *Argument) {
  for (int I = 0; I < 2; I++) {
    pthread_mutex_lock(&Mutex);
    X++;
    Ready++;
    pthread_cond_broadcast(&Condition);
    pthread_mutex_unlock(&Mutex);
  }
  return Argument;
}

int main(void) {
  runTwo(waiter, waker);
  printf("%d\ndone\n", X > 0);
}
