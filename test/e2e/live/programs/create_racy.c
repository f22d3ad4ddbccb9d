//===- create_racy.c ------------------------------------------------------===//
//
// What the creator does after pthread_create is not ordered with the thread.
//
//===----------------------------------------------------------------------===//

// KIND: write/write
// EXPECT-OBJECT: "name": "X"

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;

static void *worker(void *Argument) {
  await(1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  X = 1; // RACE 1
  done(1);
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
