//===- threads_500.c ------------------------------------------------------===//
//
// Five hundred threads at once, ordered by a mutex.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

enum { Threads = 500 };
int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *Argument) {
  arrive();
  await(Threads);
  pthread_mutex_lock(&Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  static pthread_t Handles[Threads];
  pthread_attr_t Attributes;
  pthread_attr_init(&Attributes);
  pthread_attr_setstacksize(&Attributes, 1 << 17);
  for (int I = 0; I < Threads; I++)
    if (pthread_create(&Handles[I], &Attributes, worker, NULL))
      return 1;
  for (int I = 0; I < Threads; I++)
    pthread_join(Handles[I], NULL);
  printf("%d\ndone\n", X);
}
