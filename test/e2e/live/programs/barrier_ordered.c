//===- barrier_ordered.c --------------------------------------------------===//
//
// A barrier orders everything before it with everything after it, each round.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>

enum { Threads = 4, Rounds = 50 };
int X[Threads];
pthread_barrier_t Barrier;

static void *worker(void *Argument) {
  long Me = (long)Argument;
  for (int Round = 0; Round < Rounds; Round++) {
    int Next = X[(Me + 1) % Threads];
    pthread_barrier_wait(&Barrier);
    X[Me] = Next + 1;
    pthread_barrier_wait(&Barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t Handles[Threads];
  pthread_barrier_init(&Barrier, NULL, Threads);
  for (long I = 0; I < Threads; I++)
    pthread_create(&Handles[I], NULL, worker, (void *)I);
  for (int I = 0; I < Threads; I++)
    pthread_join(Handles[I], NULL);
  pthread_barrier_destroy(&Barrier);
  printf("%d\ndone\n", X[0]);
}
