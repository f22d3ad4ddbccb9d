//===- memory_functions_racy.c --------------------------------------------===//
//
// memcpy, memset and memmove access what they copy, to the byte.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <string.h>

char A[64], B[64], C[64], D[64], E[64];
size_t Length = 20;

static void *first(void *Argument) {
  memset(A + 10, 1, Length);     // RACE 1
  memcpy(B, C, Length);          // RACE 2 3
  memmove(D + 1, D + 5, Length); // RACE 4
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  A[9] = 2;
  A[30] = 2;
  A[29] = 2; // RACE 1
  B[20] = 2;
  B[19] = 2; // RACE 2
  C[20] = 2;
  C[0] = 2; // RACE 3
  D[0] = 2;
  D[25] = 2;
  D[22] = 2; // RACE 4
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", A[29] + B[19] + C[0] + D[22] + E[0]);
}
