//===- crash_with_pending_race.c -------------------------------------------===//
//
// A race is reported although the thread that it is found in crashes before it synchronizes.
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
  printf("crashing\n");
  fflush(stdout);
  X = 2; // RACE 1
  *Nowhere = 3;
  return Argument;
}

int main(void) { runTwo(first, second); }
