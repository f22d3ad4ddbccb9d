//===- mutex_after_unlock_racy.c ------------------------------------------===//
//
// What is done after the unlock is not in the critical section.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *Argument) {
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_mutex_lock(&Mutex);
  X = 2; // RACE 1
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
