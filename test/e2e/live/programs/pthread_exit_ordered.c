//===- pthread_exit_ordered.c ---------------------------------------------===//
//
// A thread that leaves by pthread_exit is joined like any other.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>

int X;

__attribute__((noinline)) static void deep(int Depth) {
  X += Depth;
  if (Depth == 0)
    pthread_exit(&X);
  deep(Depth - 1);
  X = -1;
}

static void *worker(void *Argument) {
  deep(5);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  void *Result;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_join(Thread, &Result);
  X += *(int *)Result;
  printf("%d\ndone\n", X);
}
