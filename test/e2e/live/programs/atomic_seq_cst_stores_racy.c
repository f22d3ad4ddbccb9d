//===- atomic_seq_cst_stores_racy.c ---------------------------------------===//
//
// The single total order of seq_cst stores alone makes no edge.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Flag;

static void *first(void *Argument) {
  X = 1; // RACE 1
  atomic_store(&Flag, 1);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  atomic_store(&Flag, 2);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
