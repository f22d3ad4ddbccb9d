//===- atomic_flag_relaxed_racy.c -----------------------------------------===//
//
// A spinlock of relaxed operations protects nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_flag Lock = ATOMIC_FLAG_INIT;

static void *first(void *Argument) {
  atomic_flag_test_and_set_explicit(&Lock, memory_order_relaxed);
  X = 1; // RACE 1
  atomic_flag_clear_explicit(&Lock, memory_order_relaxed);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  atomic_flag_test_and_set_explicit(&Lock, memory_order_relaxed);
  X = 2; // RACE 1
  atomic_flag_clear_explicit(&Lock, memory_order_relaxed);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
