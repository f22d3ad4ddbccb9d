//===- join_ordered.c -----------------------------------------------------===//
//
// Everything a thread did is ordered before the return of its join.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>

int X;
int Result;

static void *worker(void *Argument) {
  X = *(int *)Argument;
  Result = 5;
  return &Result;
}

int main(void) {
  for (int I = 0; I < 3; I++) {
    pthread_t Thread;
    void *Returned;
    pthread_create(&Thread, NULL, worker, &I);
    pthread_join(Thread, &Returned);
    X += *(int *)Returned;
  }
  printf("%d\ndone\n", X);
}
