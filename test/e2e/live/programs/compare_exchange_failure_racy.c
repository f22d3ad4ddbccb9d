//===- compare_exchange_failure_racy.c ------------------------------------===//
//
// A compare-exchange that fails has not its success order.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X, Y;
atomic_int Flag, Other;

static void *first(void *Argument) {
  int Expected = 7;
  X = 1; // RACE 1
  atomic_store_explicit(&Flag, 1, memory_order_release);
  Y = 1; // RACE 2
  atomic_compare_exchange_strong_explicit(&Other, &Expected, 2, memory_order_release,
                                          memory_order_relaxed);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  int Expected = 7;
  await(1);
  atomic_compare_exchange_strong_explicit(&Flag, &Expected, 2, memory_order_acq_rel,
                                          memory_order_relaxed);
  X = Expected;                                           // RACE 1
  Y = atomic_load_explicit(&Other, memory_order_acquire); // RACE 2
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Y);
}
