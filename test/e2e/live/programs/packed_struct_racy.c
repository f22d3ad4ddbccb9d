//===- packed_struct_racy.c -----------------------------------------------===//
//
// Members of a packed structure are accessed where they are.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

struct __attribute__((packed)) Packed {
  char A;
  long B;
  short C;
} P;

static void *first(void *Argument) {
  P.A = 1;
  P.B = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  P.C = 2;
  P.B = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %ld %d\ndone\n", P.A, P.B, P.C);
}
