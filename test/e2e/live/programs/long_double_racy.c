//===- long_double_racy.c -------------------------------------------------===//
//
// A long double is ten bytes in a place of sixteen.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

union {
  long double Whole;
  char Bytes[16];
} U;

static void *first(void *Argument) {
  U.Whole = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  U.Bytes[10] = 2;
  U.Bytes[15] = 2;
  U.Bytes[9] = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", U.Bytes[9] + U.Bytes[10]);
}
