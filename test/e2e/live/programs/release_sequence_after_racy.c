//===- release_sequence_after_racy.c --------------------------------------===//
//
// A sequence carries what was before its head, not what came after.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *head(void *Argument) {
  atomic_store_explicit(&Flag, 1, memory_order_release);
  X = 1; // RACE 1
  atomic_store_explicit(&Flag, 2, memory_order_relaxed);
  done(1);
  return Argument;
}

static void *reader(void *Argument) {
  await(1);
  if (atomic_load_explicit(&Flag, memory_order_acquire) == 2)
    X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(head, reader);
  printf("%d\ndone\n", X);
}
