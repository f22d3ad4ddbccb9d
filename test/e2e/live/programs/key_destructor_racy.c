//===- key_destructor_racy.c ----------------------------------------------===//
//
// A destructor of thread-specific data races like anything else.
//
//===----------------------------------------------------------------------===//

// STACK: destroy

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;
pthread_key_t Key;

static void destroy(void *Value) {
  *(int *)Value = 2; // RACE 1
  done(1);
}

static void *worker(void *Argument) {
  pthread_setspecific(Key, Argument);
  return NULL;
}

int main(void) {
  pthread_t Thread;
  pthread_key_create(&Key, destroy);
  pthread_create(&Thread, NULL, worker, &X);
  await(1);
  X = 3; // RACE 1
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
