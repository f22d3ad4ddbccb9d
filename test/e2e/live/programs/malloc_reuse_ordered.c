//===- malloc_reuse_ordered.c ---------------------------------------------===//
//
// A block that is freed and handed out again has no past.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <string.h>

long Sums[2];

static long churn(void) {
  long Sum = 0;
  for (size_t Size = 8; Size < 400000; Size = Size * 3 / 2) {
    long *Block = malloc(Size);
    memset(Block, 1, Size);
    Sum += Block[0] & 1;
    free(Block);
  }
  return Sum;
}

// A thread's blocks go back when it ends, so that the second thread gets them.
static void *first(void *Argument) {
  Sums[0] = churn();
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  for (int I = 0; I < 10; I++)
    Sums[1] += churn();
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Sums[1] == 10 * Sums[0]);
}
