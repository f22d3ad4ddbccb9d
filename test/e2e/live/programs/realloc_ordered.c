//===- realloc_ordered.c --------------------------------------------------===//
//
// Blocks that grow and shrink keep their contents, and only theirs is checked.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int Sums[2];

static int grow(void) {
  int Sum = 0, *Block = NULL;
  for (int I = 1; I < 200; I++) {
    Block = realloc(Block, (size_t)I * sizeof(int));
    Block[I - 1] = I;
  }
  for (int I = 199; I > 1; I /= 2) {
    Sum += Block[I - 1];
    Block = realloc(Block, (size_t)I * sizeof(int));
  }
  Block = reallocarray(Block, 2, sizeof(int));
  Sum += Block[1];
  free(Block);
  return Sum;
}

static void *first(void *Argument) {
  Sums[0] = grow();
  return Argument;
}

static void *second(void *Argument) {
  Sums[1] = grow();
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Sums[0] == Sums[1]);
}
