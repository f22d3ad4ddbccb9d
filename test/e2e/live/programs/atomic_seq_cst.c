//===- atomic_seq_cst.c ---------------------------------------------------===//
//
// Sequentially consistent operations release and acquire.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
atomic_int Turn;

static void *first(void *Argument) {
  for (int I = 0; I < 50; I++) {
    while (Turn != 0)
      ;
    X++;
    Turn = 1;
  }
  return Argument;
}

static void *second(void *Argument) {
  for (int I = 0; I < 50; I++) {
    while (Turn != 1)
      ;
    X++;
    Turn = 0;
  }
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
