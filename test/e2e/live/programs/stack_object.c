//===- stack_object.c -----------------------------------------------------===//
//
// A local variable of another thread is named as its stack.
//
//===----------------------------------------------------------------------===//

// EXPECT-OBJECT: "type": "stack"

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

static void *worker(void *Argument) {
  *(int *)Argument = 1; // RACE 1
  done(1);
  return NULL;
}

int main(void) {
  int Local = 0;
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, &Local);
  await(1);
  Local = 2; // RACE 1
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", Local);
}
