//===- semaphore_failed_racy.c --------------------------------------------===//
//
// A sem_trywait or sem_timedwait that fails orders nothing.
//
//===----------------------------------------------------------------------===//

// OUTPUT: 2 2
// OUTPUT: done

#include "invisible.h"
#include "two_threads.h"
#include <semaphore.h>
#include <stdio.h>

int X;
int Failed;
sem_t Semaphore;

static void *first(void *Argument) {
  X = 1; // RACE 1
  sem_post(&Semaphore);
  sem_wait(&Semaphore);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  struct timespec Past = {.tv_sec = 1};
  await(1);
  Failed += sem_trywait(&Semaphore) != 0;
  Failed += sem_timedwait(&Semaphore, &Past) != 0;
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  sem_init(&Semaphore, 0, 0);
  runTwo(first, second);
  printf("%d %d\ndone\n", Failed, X);
}
