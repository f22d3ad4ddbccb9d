//===- atomic_plain_reads.c -----------------------------------------------===//
//
// Atomic and plain reads do not race with each other.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X = 3;
int Seen[2];

static void *first(void *Argument) {
  Seen[0] = __atomic_load_n(&X, __ATOMIC_RELAXED);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Seen[1] = X;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Seen[0] + Seen[1]);
}
