//===- threads_past.c -----------------------------------------------------===//
//
// An unordered write by a thread that is 30,000 threads in the past is found.
//
//===----------------------------------------------------------------------===//

// MUST-SHOW-3
// KIND: write/read

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;

static void *writer(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *nothing(void *Argument) { return Argument; }

int main(void) {
  pthread_t Writer, Thread;
  pthread_create(&Writer, NULL, writer, NULL);
  await(1);
  for (int I = 0; I < 30000; I++) {
    if (pthread_create(&Thread, NULL, nothing, NULL))
      return 1;
    pthread_join(Thread, NULL);
  }
  int Seen = X; // RACE 1
  pthread_join(Writer, NULL);
  printf("%d\ndone\n", Seen);
}
