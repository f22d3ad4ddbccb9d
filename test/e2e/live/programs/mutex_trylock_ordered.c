//===- mutex_trylock_ordered.c --------------------------------------------===//
//
// A trylock that succeeds orders.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *Argument) {
  for (int I = 0; I < 100; I++) {
    while (pthread_mutex_trylock(&Mutex))
      ;
    X++;
    pthread_mutex_unlock(&Mutex);
  }
  return Argument;
}

int main(void) {
  runTwo(worker, worker);
  printf("%d\ndone\n", X);
}
