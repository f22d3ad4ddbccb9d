//===- signal_same_thread.c -----------------------------------------------===//
//
// A signal handler is part of the thread that it interrupts.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <signal.h>
#include <stdio.h>

int X;

static void handler(int Signal) { X += Signal == SIGUSR1; }

int main(void) {
  struct sigaction Action = {.sa_handler = handler};
  sigaction(SIGUSR1, &Action, NULL);
  X = 1;
  raise(SIGUSR1);
  X++;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  printf("%d\ndone\n", X);
}
