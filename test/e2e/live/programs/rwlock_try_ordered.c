//===- rwlock_try_ordered.c -----------------------------------------------===//
//
// The try and timed forms of rwlocks order when they succeed.
//
//===----------------------------------------------------------------------===//

// NO RACE

#define _GNU_SOURCE
#include "two_threads.h"
#include <stdio.h>
#include <time.h>

int X;
int Seen;
pthread_rwlock_t Lock = PTHREAD_RWLOCK_INITIALIZER;

static void *tries(void *Argument) {
  for (int I = 0; I < 100; I++) {
    while (pthread_rwlock_trywrlock(&Lock))
      ;
    X++;
    pthread_rwlock_unlock(&Lock);
    while (pthread_rwlock_tryrdlock(&Lock))
      ;
    Seen = X;
    pthread_rwlock_unlock(&Lock);
  }
  return Argument;
}

static void *timed(void *Argument) {
  struct timespec Late = {.tv_sec = time(NULL) + 1000}, Clock;
  clock_gettime(CLOCK_MONOTONIC, &Clock);
  Clock.tv_sec += 1000;
  for (int I = 0; I < 100; I++) {
    int Sum = 0;
    pthread_rwlock_timedwrlock(&Lock, &Late);
    X++;
    pthread_rwlock_unlock(&Lock);
    pthread_rwlock_timedrdlock(&Lock, &Late);
    Sum += X;
    pthread_rwlock_unlock(&Lock);
    pthread_rwlock_clockrdlock(&Lock, CLOCK_MONOTONIC, &Clock);
    Sum += X;
    pthread_rwlock_unlock(&Lock);
    pthread_rwlock_clockwrlock(&Lock, CLOCK_MONOTONIC, &Clock);
    X += Sum > 0;
    pthread_rwlock_unlock(&Lock);
  }
  return Argument;
}

int main(void) {
  runTwo(tries, timed);
  printf("%d %d\ndone\n", X, Seen > 0);
}
