//===- alone_detached_racy.c ----------------------------------------------===//
//
// A thread that has no other beside it is alone only if it knows what all those before it did:
// nothing orders a detached thread that has ended, nor one that a detached thread has joined.
//
//===----------------------------------------------------------------------===//

// KIND: write/write

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X, Y, Z;

static void *joined(void *Argument) {
  Y = 1; // RACE 2
  return Argument;
}

static void *detached(void *Argument) {
  pthread_t Thread;
  X = 1; // RACE 1
  pthread_create(&Thread, NULL, joined, NULL);
  pthread_join(Thread, NULL);
  done(1);
  return Argument;
}

static void *other(void *Argument) {
  Z++;
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, detached, NULL);
  pthread_detach(Thread);
  await(1);
  // Until the system no longer has it, and long after that.
  for (int I = 0; I < 1000; I++) {
    pthread_create(&Thread, NULL, other, NULL);
    pthread_join(Thread, NULL);
  }
  X = 2; // RACE 1
  Y = 2; // RACE 2
  printf("%d %d\ndone\n", X, Y);
}
