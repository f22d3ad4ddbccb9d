//===- join_chain_ordered.c -----------------------------------------------===//
//
// Order is transitive: joins inside a thread that is joined.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>

int X[8];

static void *worker(void *Argument) {
  long Depth = (long)Argument;
  X[Depth] = (int)Depth;
  if (Depth == 7)
    return NULL;
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, (void *)(Depth + 1));
  pthread_join(Thread, NULL);
  X[Depth] += X[Depth + 1];
  return NULL;
}

int main(void) {
  worker(NULL);
  printf("%d\ndone\n", X[0]);
}
