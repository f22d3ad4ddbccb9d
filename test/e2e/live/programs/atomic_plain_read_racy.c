//===- atomic_plain_read_racy.c -------------------------------------------===//
//
// An atomic write races with a plain read.
//
//===----------------------------------------------------------------------===//

// KIND: atomic write/read

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Seen;

static void *first(void *Argument) {
  __atomic_store_n(&X, 1, __ATOMIC_SEQ_CST); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Seen = X; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Seen);
}
