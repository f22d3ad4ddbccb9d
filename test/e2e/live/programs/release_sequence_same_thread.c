//===- release_sequence_same_thread.c -------------------------------------===//
//
// A relaxed store of the same thread continues a release sequence (C11).
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *head(void *Argument) {
  X = 1;
  atomic_store_explicit(&Flag, 1, memory_order_release);
  atomic_store_explicit(&Flag, 2, memory_order_relaxed);
  done(1);
  return Argument;
}

static void *reader(void *Argument) {
  await(1);
  if (atomic_load_explicit(&Flag, memory_order_acquire) == 2)
    X++;
  return Argument;
}

int main(void) {
  runTwo(head, reader);
  printf("%d\ndone\n", X);
}
