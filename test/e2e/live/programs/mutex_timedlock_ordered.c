//===- mutex_timedlock_ordered.c ------------------------------------------===//
//
// pthread_mutex_timedlock and clocklock order when they succeed.
//
//===----------------------------------------------------------------------===//

// NO RACE

#define _GNU_SOURCE
#include "two_threads.h"
#include <stdio.h>
#include <time.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *timed(void *Argument) {
  struct timespec Late = {.tv_sec = time(NULL) + 1000};
  for (int I = 0; I < 100; I++) {
    pthread_mutex_timedlock(&Mutex, &Late);
    X++;
    pthread_mutex_unlock(&Mutex);
  }
  return Argument;
}

static void *clocked(void *Argument) {
  struct timespec Late;
  clock_gettime(CLOCK_MONOTONIC, &Late);
  Late.tv_sec += 1000;
  for (int I = 0; I < 100; I++) {
    pthread_mutex_clocklock(&Mutex, CLOCK_MONOTONIC, &Late);
    X++;
    pthread_mutex_unlock(&Mutex);
  }
  return Argument;
}

int main(void) {
  runTwo(timed, clocked);
  printf("%d\ndone\n", X);
}
