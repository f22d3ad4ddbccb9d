//===- compare_exchange_failure.c -----------------------------------------===//
//
// A compare-exchange that fails acquires if its failure order does.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  X = 1;
  atomic_store_explicit(&Flag, 1, memory_order_release);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  int Expected = 7;
  await(1);
  atomic_compare_exchange_strong_explicit(&Flag, &Expected, 2, memory_order_relaxed,
                                          memory_order_acquire);
  X += Expected;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
