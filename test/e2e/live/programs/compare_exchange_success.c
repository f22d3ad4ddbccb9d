//===- compare_exchange_success.c -----------------------------------------===//
//
// A compare-exchange that succeeds has its success order.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  int Expected = 0;
  X = 1;
  atomic_compare_exchange_strong_explicit(&Flag, &Expected, 1, memory_order_release,
                                          memory_order_relaxed);
  return Argument;
}

static void *second(void *Argument) {
  int Expected = 1;
  while (!atomic_compare_exchange_weak_explicit(&Flag, &Expected, 2, memory_order_acquire,
                                                memory_order_relaxed))
    Expected = 1;
  X++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
