//===- fence_message.c ----------------------------------------------------===//
//
// Message passing by fences around relaxed accesses is ordered.
//
//===----------------------------------------------------------------------===//

// NO RACE
// MUST-SHOW-3

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  X = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&Flag, 1, memory_order_relaxed);
  return Argument;
}

static void *second(void *Argument) {
  while (!atomic_load_explicit(&Flag, memory_order_relaxed))
    ;
  atomic_thread_fence(memory_order_acquire);
  X++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
