//===- mutex_ordered.c ----------------------------------------------------===//
//
// A mutex orders those who hold it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *Argument) {
  for (int I = 0; I < 1000; I++) {
    pthread_mutex_lock(&Mutex);
    X++;
    pthread_mutex_unlock(&Mutex);
  }
  return Argument;
}

int main(void) {
  runTwo(worker, worker);
  printf("%d\ndone\n", X);
}
