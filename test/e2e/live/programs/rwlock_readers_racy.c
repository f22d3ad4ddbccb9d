//===- rwlock_readers_racy.c ----------------------------------------------===//
//
// Two who hold a rwlock shared are not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_rwlock_t Lock = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *Argument) {
  pthread_rwlock_rdlock(&Lock);
  X = 1; // RACE 1
  pthread_rwlock_unlock(&Lock);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_rwlock_rdlock(&Lock);
  X = 2; // RACE 1
  pthread_rwlock_unlock(&Lock);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
