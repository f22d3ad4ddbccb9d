//===- atomic_release_acquire.c -------------------------------------------===//
//
// A release store is ordered before the acquire load that reads it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  X = 1;
  atomic_store_explicit(&Flag, 1, memory_order_release);
  return Argument;
}

static void *second(void *Argument) {
  while (!atomic_load_explicit(&Flag, memory_order_acquire))
    ;
  X++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
