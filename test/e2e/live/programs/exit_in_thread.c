//===- exit_in_thread.c ---------------------------------------------------===//
//
// exit called by a thread ends the program with its races told.
//
//===----------------------------------------------------------------------===//

// OUTPUT: leaving

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int X;

static void *worker(void *Argument) {
  await(1);
  X = 2; // RACE 1
  printf("leaving\n");
  exit(0);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  X = 1; // RACE 1
  done(1);
  pthread_join(Thread, NULL);
}
