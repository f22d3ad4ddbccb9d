//===- hundred_locks_racy.c -----------------------------------------------===//
//
// A hundred held locks do not order with somebody who holds another one.
//
//===----------------------------------------------------------------------===//

// MUST-SHOW-3

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

enum { Locks = 100 };
int X;
pthread_mutex_t Mutexes[Locks];
pthread_mutex_t Other = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *Argument) {
  for (int I = 0; I < Locks; I++)
    pthread_mutex_lock(&Mutexes[I]);
  X = 1; // RACE 1
  for (int I = 0; I < Locks; I++)
    pthread_mutex_unlock(&Mutexes[I]);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_mutex_lock(&Other);
  X = 2; // RACE 1
  pthread_mutex_unlock(&Other);
  return Argument;
}

int main(void) {
  for (int I = 0; I < Locks; I++)
    pthread_mutex_init(&Mutexes[I], NULL);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
