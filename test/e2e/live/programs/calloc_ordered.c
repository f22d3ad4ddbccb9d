//===- calloc_ordered.c ---------------------------------------------------===//
//
// calloc's zeros are part of the allocation and are there.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int Sums[2];

static int zeros(void) {
  int Sum = 0;
  for (size_t Size = 1; Size < 100000; Size *= 2) {
    char *Block = calloc(Size, 3);
    for (size_t I = 0; I < 3 * Size; I += 1 + Size / 8)
      Sum += Block[I];
    Block[0] = 1;
    free(Block);
  }
  return Sum;
}

static void *first(void *Argument) {
  Sums[0] = zeros();
  return Argument;
}

static void *second(void *Argument) {
  Sums[1] = zeros();
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Sums[0] + Sums[1]);
}
