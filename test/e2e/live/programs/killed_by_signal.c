//===- killed_by_signal.c -------------------------------------------------===//
//
// A signal that nobody handles ends the program as before.
//
//===----------------------------------------------------------------------===//

// NO RACE
// SIGNAL: TERM
// OUTPUT: waiting

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static void *worker(void *Argument) {
  raise(SIGTERM);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  printf("waiting\n");
  fflush(stdout);
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_join(Thread, NULL);
}
