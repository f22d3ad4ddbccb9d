//===- abort_after_race.c -------------------------------------------------===//
//
// abort still ends the program by SIGABRT, with its races told.
//
//===----------------------------------------------------------------------===//

// SIGNAL: ABRT
// OUTPUT: aborting

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
  printf("aborting\n");
  fflush(stdout);
  abort();
}
