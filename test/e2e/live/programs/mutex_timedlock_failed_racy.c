//===- mutex_timedlock_failed_racy.c --------------------------------------===//
//
// A timed lock that runs out of time orders nothing.
//
//===----------------------------------------------------------------------===//

// OUTPUT: ETIMEDOUT ETIMEDOUT
// OUTPUT: done

#define _GNU_SOURCE
#include "invisible.h"
#include "two_threads.h"
#include <errno.h>
#include <stdio.h>
#include <time.h>

int X;
int Timed, Clocked;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *Argument) {
  pthread_mutex_lock(&Mutex);
  X = 1; // RACE 1
  done(1);
  await(2);
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

static void *second(void *Argument) {
  struct timespec Past = {.tv_sec = 1};
  await(1);
  Timed = pthread_mutex_timedlock(&Mutex, &Past);
  Clocked = pthread_mutex_clocklock(&Mutex, CLOCK_MONOTONIC, &Past);
  X = 2; // RACE 1
  done(2);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%s %s\ndone\n", Timed == ETIMEDOUT ? "ETIMEDOUT" : "?",
         Clocked == ETIMEDOUT ? "ETIMEDOUT" : "?");
}
