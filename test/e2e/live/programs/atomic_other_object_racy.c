//===- atomic_other_object_racy.c -----------------------------------------===//
//
// Release and acquire on different objects order nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flags[2];

static void *first(void *Argument) {
  X = 1; // RACE 1
  atomic_store_explicit(&Flags[0], 1, memory_order_release);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Seen = atomic_load_explicit(&Flags[1], memory_order_acquire);
  X = Seen + 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
