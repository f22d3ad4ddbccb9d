//===- signal_other_thread_racy.c -----------------------------------------===//
//
// A signal handler races with another thread than its own.
//
//===----------------------------------------------------------------------===//

// STACK: handler

#include "invisible.h"
#include "two_threads.h"
#include <signal.h>
#include <stdio.h>

int X;

static void handler(int Signal) {
  X = Signal; // RACE 1
}

static void *interrupted(void *Argument) {
  raise(SIGUSR1);
  done(1);
  return Argument;
}

static void *other(void *Argument) {
  await(1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  struct sigaction Action = {.sa_handler = handler};
  sigaction(SIGUSR1, &Action, NULL);
  runTwo(interrupted, other);
  printf("%d\ndone\n", X);
}
