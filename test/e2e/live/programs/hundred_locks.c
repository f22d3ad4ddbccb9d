//===- hundred_locks.c ----------------------------------------------------===//
//
// A thread may hold a hundred locks, each of which orders.
//
//===----------------------------------------------------------------------===//

// NO RACE
// MUST-SHOW-3

#include "two_threads.h"
#include <stdio.h>

enum { Locks = 100 };
int X[Locks];
pthread_mutex_t Mutexes[Locks];

static void *worker(void *Argument) {
  for (int I = 0; I < Locks; I++)
    pthread_mutex_lock(&Mutexes[I]);
  for (int I = 0; I < Locks; I++)
    X[I]++;
  for (int I = 0; I < Locks; I++)
    pthread_mutex_unlock(&Mutexes[I]);
  return Argument;
}

int main(void) {
  for (int I = 0; I < Locks; I++)
    pthread_mutex_init(&Mutexes[I], NULL);
  runTwo(worker, worker);
  for (int I = 1; I < Locks; I++)
    X[0] += X[I];
  printf("%d\ndone\n", X[0]);
}
