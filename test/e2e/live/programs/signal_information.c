//===- signal_information.c -----------------------------------------------===//
//
// A handler gets its information, on a stack of its own if it asks.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 1 1 77 1
// OUTPUT: done

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int Number, Code, Value, OnStack;
char *Stack;

static void handler(int Signal, siginfo_t *Information, void *Context) {
  char Here;
  Number = Signal == SIGRTMIN && Context;
  Code = Information->si_code == SI_QUEUE;
  Value = Information->si_value.sival_int;
  OnStack = (uintptr_t)&Here - (uintptr_t)Stack < 65536;
}

int main(void) {
  struct sigaction Action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  Stack = malloc(65536);
  stack_t Alternate = {.ss_sp = Stack, .ss_size = 65536};
  sigaltstack(&Alternate, NULL);
  sigaction(SIGRTMIN, &Action, NULL);
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 77});
  printf("%d %d %d %d\ndone\n", Number, Code, Value, OnStack);
}
