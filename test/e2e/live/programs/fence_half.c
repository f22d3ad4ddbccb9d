//===- fence_half.c -------------------------------------------------------===//
//
// A fence on one side and a release or acquire access on the other order, too.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X, Y;
atomic_int FenceToLoad, StoreToFence;

static void *first(void *Argument) {
  X = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&FenceToLoad, 1, memory_order_relaxed);
  Y = 1;
  atomic_store_explicit(&StoreToFence, 1, memory_order_release);
  return Argument;
}

static void *second(void *Argument) {
  while (!atomic_load_explicit(&FenceToLoad, memory_order_acquire))
    ;
  X++;
  while (!atomic_load_explicit(&StoreToFence, memory_order_relaxed))
    ;
  atomic_thread_fence(memory_order_seq_cst);
  Y++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Y);
}
