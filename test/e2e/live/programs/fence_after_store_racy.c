//===- fence_after_store_racy.c -------------------------------------------===//
//
// A release fence after the relaxed store is too late.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  X = 1; // RACE 1
  atomic_store_explicit(&Flag, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Seen = atomic_load_explicit(&Flag, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  X = Seen + 1; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
