//===- exit_code_zero_option.c --------------------------------------------===//
//
// With exitcode=0 races do not change the exit code.
//
//===----------------------------------------------------------------------===//

// OPTIONS: exitcode=0
// EXIT: 4

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;

static void *first(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
  return 4;
}
