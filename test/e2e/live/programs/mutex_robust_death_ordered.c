//===- mutex_robust_death_ordered.c ---------------------------------------===//
//
// A robust mutex orders its dead owner even if nobody joined it.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: EOWNERDEAD 2
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
  done(1);
  return Argument;
}

int main(void) {
  pthread_mutexattr_t Attributes;
  pthread_t Thread;
  pthread_mutexattr_init(&Attributes);
  pthread_mutexattr_setrobust(&Attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&Mutex, &Attributes);
  pthread_create(&Thread, NULL, dies, NULL);
  await(1);
  int Result = pthread_mutex_lock(&Mutex);
  X = 2;
  pthread_mutex_consistent(&Mutex);
  pthread_mutex_unlock(&Mutex);
  pthread_join(Thread, NULL);
  printf("%s %d\ndone\n", Result == EOWNERDEAD ? "EOWNERDEAD" : "?", X);
}
