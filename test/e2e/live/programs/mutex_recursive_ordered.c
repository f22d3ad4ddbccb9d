//===- mutex_recursive_ordered.c ------------------------------------------===//
//
// A recursive mutex protects until the last unlock.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex;

static void *worker(void *Argument) {
  for (int I = 0; I < 500; I++) {
    pthread_mutex_lock(&Mutex);
    pthread_mutex_lock(&Mutex);
    X++;
    pthread_mutex_unlock(&Mutex);
    X++;
    pthread_mutex_unlock(&Mutex);
  }
  return Argument;
}

int main(void) {
  pthread_mutexattr_t Attributes;
  pthread_mutexattr_init(&Attributes);
  pthread_mutexattr_settype(&Attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&Mutex, &Attributes);
  runTwo(worker, worker);
  pthread_mutex_destroy(&Mutex);
  printf("%d\ndone\n", X);
}
