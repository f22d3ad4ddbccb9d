//===- vector_racy.c ------------------------------------------------------===//
//
// Vector types are accessed as a whole.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

typedef int Vector4 __attribute__((vector_size(16)));
typedef int Vector8 __attribute__((vector_size(32)));
union {
  Vector4 Whole;
  int Parts[4];
} Small;
union {
  Vector8 Whole;
  int Parts[8];
} Large;

static void *first(void *Argument) {
  Small.Whole += 1;                                // RACE 1
  Large.Whole = (Vector8){1, 2, 3, 4, 5, 6, 7, 8}; // RACE 2
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Small.Parts[3] = 2; // RACE 1
  Large.Parts[7] = 2; // RACE 2
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", Small.Parts[3], Large.Parts[7]);
}
