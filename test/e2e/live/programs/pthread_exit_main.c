//===- pthread_exit_main.c ------------------------------------------------===//
//
// The main thread leaves by pthread_exit, and the last thread ends the program.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;

static void *worker(void *Argument) {
  await(1);
  X = 2; // RACE 1
  printf("%d\ndone\n", X);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_detach(Thread);
  X = 1; // RACE 1
  done(1);
  pthread_exit(NULL);
}
