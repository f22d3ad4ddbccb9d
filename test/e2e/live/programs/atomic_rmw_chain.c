//===- atomic_rmw_chain.c -------------------------------------------------===//
//
// Acquire-release read-modify-writes order a chain of threads.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { Threads = 8 };
int X[Threads];
int Sum;
atomic_int Left = Threads;

static void *worker(void *Argument) {
  X[(long)Argument] = 1;
  if (atomic_fetch_sub_explicit(&Left, 1, memory_order_acq_rel) == 1)
    for (int I = 0; I < Threads; I++)
      Sum += X[I];
  return NULL;
}

int main(void) {
  pthread_t Handles[Threads];
  for (long I = 0; I < Threads; I++)
    pthread_create(&Handles[I], NULL, worker, (void *)I);
  for (int I = 0; I < Threads; I++)
    pthread_join(Handles[I], NULL);
  printf("%d\ndone\n", Sum);
}
