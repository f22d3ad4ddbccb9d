//===- memory_functions_fixed_racy.c --------------------------------------===//
//
// Copies of a size known to the compiler are accesses, too.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <string.h>

struct Large {
  int Values[40];
};
struct Large A, B;
char C[3];

static void *first(void *Argument) {
  A = B;           // RACE 1 2
  memset(C, 7, 3); // RACE 3
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  A.Values[39] = 2; // RACE 1
  B.Values[20] = 2; // RACE 2
  C[2] = 2;         // RACE 3
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", A.Values[39] + B.Values[20] + C[2]);
}
