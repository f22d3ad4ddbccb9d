//===- crash_handled.c ----------------------------------------------------===//
//
// A program's own handler of a crash runs as before, and may leave by it.
//
//===----------------------------------------------------------------------===//

// OUTPUT: handled
// EXIT: 66

#include "invisible.h"
#include "two_threads.h"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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

static void handler(int Signal) {
  if (Signal == SIGSEGV && write(1, "handled\n", 8) == 8)
    _exit(1);
}

int main(void) {
  signal(SIGSEGV, handler);
  runTwo(first, second);
  *Nowhere = X;
}
