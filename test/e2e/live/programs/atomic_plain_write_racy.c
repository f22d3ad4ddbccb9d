//===- atomic_plain_write_racy.c ------------------------------------------===//
//
// A plain write races with an atomic read, however strong.
//
//===----------------------------------------------------------------------===//

// KIND: write/atomic read

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Seen;

static void *first(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Seen = __atomic_load_n(&X, __ATOMIC_SEQ_CST); // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Seen);
}
