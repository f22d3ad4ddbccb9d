//===- atomic_struct.c ----------------------------------------------------===//
//
// An atomic structure that is too large for the processor goes through libatomic.
//
//===----------------------------------------------------------------------===//

// NO RACE
// FLAGS: -latomic

#include "two_threads.h"
#include <stdio.h>

struct Large {
  long Values[5];
};
_Atomic struct Large Shared;
int X;

static void *first(void *Argument) {
  struct Large Mine = {{1, 2, 3, 4, 5}};
  X = 1;
  Shared = Mine;
  return Argument;
}

static void *second(void *Argument) {
  struct Large Mine;
  do
    Mine = Shared;
  while (!Mine.Values[4]);
  X++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  struct Large Mine = Shared;
  printf("%d %ld\ndone\n", X, Mine.Values[4]);
}
