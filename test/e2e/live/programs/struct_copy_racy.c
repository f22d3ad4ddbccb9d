//===- struct_copy_racy.c -------------------------------------------------===//
//
// A structure that is copied is read and written as a whole.
//
//===----------------------------------------------------------------------===//

// KIND: write/read

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

struct Point {
  int X, Y, Z;
} Shared, Copy;

static void *first(void *Argument) {
  Shared.Z = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Copy = Shared; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Copy.Z);
}
