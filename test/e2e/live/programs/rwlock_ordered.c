//===- rwlock_ordered.c ---------------------------------------------------===//
//
// A rwlock orders readers with writers and writers with each other.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X;
long Sum[2];
pthread_rwlock_t Lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(long *Mine) {
  for (int I = 0; I < 200; I++) {
    pthread_rwlock_rdlock(&Lock);
    *Mine += X;
    pthread_rwlock_unlock(&Lock);
    pthread_rwlock_wrlock(&Lock);
    X++;
    pthread_rwlock_unlock(&Lock);
  }
  return NULL;
}

static void *first(void *Argument) { return Argument ? Argument : work(&Sum[0]); }
static void *second(void *Argument) { return Argument ? Argument : work(&Sum[1]); }

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
