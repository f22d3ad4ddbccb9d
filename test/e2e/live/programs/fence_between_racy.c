//===- fence_between_racy.c -----------------------------------------------===//
//
// What is done between the release fence and the store is not covered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X, Y;
atomic_int Flag;

static void *first(void *Argument) {
  Y = 1;
  atomic_thread_fence(memory_order_release);
  X = 1; // RACE 1
  atomic_store_explicit(&Flag, 1, memory_order_relaxed);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Seen = atomic_load_explicit(&Flag, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  X = Seen + 1; // RACE 1
  Y++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Y);
}
