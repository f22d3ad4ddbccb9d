//===- threads_500_racy.c -------------------------------------------------===//
//
// Among five hundred threads at once, the two that race are named.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

enum { Threads = 500 };
int X[Threads];

static void *worker(void *Argument) {
  long Me = (long)Argument;
  arrive();
  await(Threads);
  X[Me] = 1; // RACE 1
  arrive();
  if (Me == 400) {
    await(2 * Threads);
    X[7] = 2; // RACE 1
  }
  return NULL;
}

int main(void) {
  static pthread_t Handles[Threads];
  for (long I = 0; I < Threads; I++)
    if (pthread_create(&Handles[I], NULL, worker, (void *)I))
      return 1;
  for (int I = 0; I < Threads; I++)
    pthread_join(Handles[I], NULL);
  printf("%d\ndone\n", X[7] + X[400]);
}
