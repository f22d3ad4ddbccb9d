//===- stack_reuse.c ------------------------------------------------------===//
//
// Stacks and thread-local memory of threads that ended are reused without a race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

_Thread_local char Local[512];

static void *worker(void *Argument) {
  char Buffer[4096];
  memset(Buffer, 1, sizeof(Buffer));
  memset(Local, 1, sizeof(Local));
  __asm__ volatile("" : : "r"(Buffer), "r"(Local) : "memory");
  Buffer[5] = Buffer[6];
  Local[7] = Buffer[8];
  __asm__ volatile("" : : "r"(Buffer), "r"(Local) : "memory");
  arrive();
  return Argument;
}

// No thread is ordered with another: all are detached.
int main(void) {
  for (int I = 1; I <= 100; I++) {
    pthread_t Thread;
    pthread_create(&Thread, NULL, worker, NULL);
    pthread_detach(Thread);
    await(I);
  }
  printf("done\n");
}
