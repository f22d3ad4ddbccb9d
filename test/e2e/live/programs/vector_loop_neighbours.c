//===- vector_loop_neighbours.c -------------------------------------------===//
//
// A loop that is vectorised accesses its own elements only.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int A[1000], B[1000];

static void fill(int First, int Step) {
  for (int I = First; I < 1000; I += Step)
    A[I] = B[I] + I;
}

static void *first(void *Argument) {
  fill(0, 2);
  return Argument;
}

static void *second(void *Argument) {
  fill(1, 2);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", A[999] + A[0]);
}
