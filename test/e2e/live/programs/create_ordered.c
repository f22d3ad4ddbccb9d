//===- create_ordered.c ---------------------------------------------------===//
//
// What a thread's creator did before is ordered before the thread.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>

int X;

static void *worker(void *Argument) {
  *(int *)Argument += 1;
  X += 1;
  return NULL;
}

int main(void) {
  int Local = 1;
  pthread_t Thread;
  X = 1;
  pthread_create(&Thread, NULL, worker, &Local);
  pthread_join(Thread, NULL);
  printf("%d %d\ndone\n", X, Local);
}
