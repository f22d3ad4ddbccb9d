//===- signal_in_lock.c ---------------------------------------------------===//
//
// A handler that interrupts a thread in pthread_mutex_lock can lock and race.
//
//===----------------------------------------------------------------------===//

// STACK: handler

#include "invisible.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

int X;
pthread_mutex_t Held = PTHREAD_MUTEX_INITIALIZER, Inner = PTHREAD_MUTEX_INITIALIZER;

static void handler(int Signal) {
  pthread_mutex_lock(&Inner);
  X = Signal; // RACE 1
  pthread_mutex_unlock(&Inner);
  done(2);
}

static void *blocked(void *Argument) {
  done(1);
  pthread_mutex_lock(&Held);
  pthread_mutex_unlock(&Held);
  return Argument;
}

int main(void) {
  struct sigaction Action = {.sa_handler = handler};
  pthread_t Thread;
  sigaction(SIGUSR1, &Action, NULL);
  pthread_mutex_lock(&Held);
  pthread_create(&Thread, NULL, blocked, NULL);
  await(1);
  pthread_kill(Thread, SIGUSR1);
  await(2);
  X = 2; // RACE 1
  pthread_mutex_unlock(&Held);
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
