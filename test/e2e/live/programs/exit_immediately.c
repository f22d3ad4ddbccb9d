//===- exit_immediately.c -------------------------------------------------===//
//
// _exit with races found ends with the detector's code.
//
//===----------------------------------------------------------------------===//

// OUTPUT: leaving
// EXIT: 66

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <unistd.h>

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
  printf("leaving\n");
  fflush(stdout);
  _exit(3);
}
