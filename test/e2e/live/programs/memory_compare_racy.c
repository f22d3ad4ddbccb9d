//===- memory_compare_racy.c ----------------------------------------------===//
//
// memcmp and memchr read, as far as they have to.
//
//===----------------------------------------------------------------------===//

// KIND: write/read

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <string.h>

char A[32] = "same and then A", B[32] = "same and then B", C[32] = "find the x here";
size_t Length = 20;
int Result;

static void *first(void *Argument) {
  A[2] = 'm'; // RACE 1
  C[3] = 'd'; // RACE 2
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Result += memcmp(A, B, Length) < 0;           // RACE 1
  Result += (char *)memchr(C, 'x', Length) - C; // RACE 2
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Result);
}
