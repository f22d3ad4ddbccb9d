//===- atexit_ordered.c ---------------------------------------------------===//
//
// Handlers of atexit run after what their registration and exit are ordered after.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 3

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int X;

static void handler(void) { printf("%d\n", ++X); }

static void *worker(void *Argument) {
  X = 1;
  atexit(handler);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_join(Thread, NULL);
  X++;
}
