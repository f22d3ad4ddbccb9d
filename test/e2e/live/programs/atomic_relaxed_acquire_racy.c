//===- atomic_relaxed_acquire_racy.c --------------------------------------===//
//
// An acquire load that reads a relaxed store orders nothing.
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
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Seen = atomic_load_explicit(&Flag, memory_order_acquire);
  X = Seen + 1; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
