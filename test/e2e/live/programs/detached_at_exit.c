//===- detached_at_exit.c -------------------------------------------------===//
//
// A detached thread that still runs does not keep the program from ending.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

static void *worker(void *Argument) {
  done(1);
  await(1000);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_detach(Thread);
  await(1);
  printf("done\n");
}
