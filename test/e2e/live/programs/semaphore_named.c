//===- semaphore_named.c --------------------------------------------------===//
//
// A named semaphore, opened twice, orders like any other.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int X;
char Name[64];

static void *first(void *Argument) {
  sem_t *Semaphore = sem_open(Name, 0);
  X = 1;
  sem_post(Semaphore);
  sem_close(Semaphore);
  return Argument;
}

static void *second(void *Argument) {
  sem_t *Semaphore = sem_open(Name, 0);
  sem_wait(Semaphore);
  X++;
  sem_close(Semaphore);
  return Argument;
}

int main(void) {
  snprintf(Name, sizeof(Name), "/photofinish-live-%d", (int)getpid());
  sem_t *Semaphore = sem_open(Name, O_CREAT | O_EXCL, 0600, 0);
  if (Semaphore == SEM_FAILED)
    return 1;
  runTwo(first, second);
  sem_close(Semaphore);
  sem_unlink(Name);
  printf("%d\ndone\n", X);
}
