//===- bitfield_separate.c ------------------------------------------------===//
//
// Bit-fields that a zero-width field separates are two locations.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

struct {
  unsigned A : 3;
  unsigned : 0;
  unsigned B : 5;
} S;

static void *first(void *Argument) {
  S.A = 1;
  return Argument;
}

static void *second(void *Argument) {
  S.B = 2;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", S.A, S.B);
}
