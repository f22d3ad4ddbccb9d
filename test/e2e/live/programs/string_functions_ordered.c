//===- string_functions_ordered.c -----------------------------------------===//
//
// Neighbours of what a str* function touches are not touched.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <string.h>

char A[16] = "hello", B[16] = "hello", C[16], D[16] = "hello", E[16];
size_t Results[3];

static void *first(void *Argument) {
  A[6] = 'x';
  B[4] = 'x';
  C[4] = 'x';
  D[5] = 'x';
  E[8] = 'x';
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Results[0] = strlen(A);
  Results[1] = (size_t)strncmp(B, "help", 4) > 0;
  strcpy(C, Argument ? "abc" : "two");
  Results[2] = (size_t)(strchr(D, 'l') - D);
  strncpy(E, Argument ? "abc" : "ab", 8);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%zu %zu %zu %s\ndone\n", Results[0], Results[1], Results[2], C);
}
