//===- mutex_reinit_racy.c ------------------------------------------------===//
//
// A mutex that was destroyed and made anew has no past.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex;

static void *first(void *Argument) {
  X = 1; // RACE 1
  pthread_mutex_init(&Mutex, NULL);
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  pthread_mutex_destroy(&Mutex);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_mutex_init(&Mutex, NULL);
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
