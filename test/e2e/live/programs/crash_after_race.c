//===- crash_after_race.c -------------------------------------------------===//
//
// A crash still has the races found so far printed, and is still a crash.
//
//===----------------------------------------------------------------------===//

// SIGNAL: SEGV
// OUTPUT: crashing

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int *volatile Nowhere;

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
  printf("crashing\n");
  fflush(stdout);
  *Nowhere = X;
}
