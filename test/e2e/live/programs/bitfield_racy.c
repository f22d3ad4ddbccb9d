//===- bitfield_racy.c ----------------------------------------------------===//
//
// Bit-fields of one unit are one memory location.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

struct {
  unsigned A : 3;
  unsigned B : 5;
} S;

static void *first(void *Argument) {
  S.A = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  S.B = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", S.A, S.B);
}
