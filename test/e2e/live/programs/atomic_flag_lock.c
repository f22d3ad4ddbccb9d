//===- atomic_flag_lock.c -------------------------------------------------===//
//
// A spinlock of atomic_flag orders.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_flag Lock = ATOMIC_FLAG_INIT;

static void *worker(void *Argument) {
  for (int I = 0; I < 100; I++) {
    while (atomic_flag_test_and_set_explicit(&Lock, memory_order_acquire))
      ;
    X++;
    atomic_flag_clear_explicit(&Lock, memory_order_release);
  }
  return Argument;
}

int main(void) {
  runTwo(worker, worker);
  printf("%d\ndone\n", X);
}
