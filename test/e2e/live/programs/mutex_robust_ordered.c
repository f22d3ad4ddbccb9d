//===- mutex_robust_ordered.c ---------------------------------------------===//
//
// Whoever gets a robust mutex from a dead thread comes after that thread.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: EOWNERDEAD 3
// OUTPUT: done

#include "invisible.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int X;
pthread_mutex_t Mutex;

static void *dies(void *Argument) {
  pthread_mutex_lock(&Mutex);
  X = 1;
  return Argument;
}

static void *inherits(void *Argument) {
  int Result = pthread_mutex_lock(&Mutex);
  X = 2;
  if (Result == EOWNERDEAD)
    pthread_mutex_consistent(&Mutex);
  pthread_mutex_unlock(&Mutex);
  *(int *)Argument = Result;
  return NULL;
}

int main(void) {
  pthread_mutexattr_t Attributes;
  pthread_t Dying, Inheriting;
  int Result = 0;
  pthread_mutexattr_init(&Attributes);
  pthread_mutexattr_setrobust(&Attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&Mutex, &Attributes);
  pthread_create(&Dying, NULL, dies, NULL);
  pthread_join(Dying, NULL);
  pthread_create(&Inheriting, NULL, inherits, &Result);
  pthread_join(Inheriting, NULL);
  pthread_mutex_lock(&Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  printf("%s %d\ndone\n", Result == EOWNERDEAD ? "EOWNERDEAD" : "?", X);
}
