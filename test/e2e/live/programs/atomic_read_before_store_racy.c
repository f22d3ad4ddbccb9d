//===- atomic_read_before_store_racy.c ------------------------------------===//
//
// An acquire load that came before the store orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  await(1);
  X = 1; // RACE 1
  atomic_store_explicit(&Flag, 1, memory_order_release);
  done(2);
  return Argument;
}

static void *second(void *Argument) {
  int Seen = atomic_load_explicit(&Flag, memory_order_acquire);
  done(1);
  await(2);
  X = Seen + 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
