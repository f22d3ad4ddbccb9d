//===- signal_old_action.c ------------------------------------------------===//
//
// sigaction and signal return the handler that the program had set.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 1 1 1
// OUTPUT: done

#include <signal.h>
#include <stdio.h>

static void first(int Signal) { (void)Signal; }
static void second(int Signal) { (void)Signal; }

int main(void) {
  struct sigaction Action = {.sa_handler = first}, Old;
  sigaction(SIGUSR1, &Action, NULL);
  int SameSignal = signal(SIGUSR1, second) == first;
  sigaction(SIGUSR1, NULL, &Old);
  int SameAction = Old.sa_handler == second;
  int Default = signal(SIGUSR2, SIG_IGN) == SIG_DFL;
  printf("%d %d %d\ndone\n", SameSignal, SameAction, Default);
}
