//===- string_functions_racy.c --------------------------------------------===//
//
// str* functions read and write their strings, the final zero included.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <string.h>

char A[16] = "hello", B[16] = "hello", C[16], D[16] = "hello", E[16] = "ab", F[16], G[16] = "text";
size_t Results[4];

static void *first(void *Argument) {
  A[5] = 0;   // RACE 1
  B[2] = 'l'; // RACE 2
  C[6] = 'x';
  C[5] = 'x'; // RACE 3
  D[4] = 'o'; // RACE 4
  E[4] = 'x'; // RACE 5
  F[7] = 'x'; // RACE 6
  G[1] = 'e'; // RACE 7
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Results[0] = strlen(A);                     // RACE 1
  Results[1] = (size_t)strcmp(B, "help") > 0; // RACE 2
  strcpy(C, Argument ? "other" : "five5");    // RACE 3
  Results[2] = (size_t)(strchr(D, 'o') - D);  // RACE 4
  strcat(E, "cd");                            // RACE 5
  strncpy(F, Argument ? "abc" : "ab", 8);     // RACE 6
  char *Copy = strdup(G);                     // RACE 7
  Results[3] = strlen(Copy);
  free(Copy);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%zu %zu %zu %zu %s %s\ndone\n", Results[0], Results[1], Results[2], Results[3], C, E);
}
