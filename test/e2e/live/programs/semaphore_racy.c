//===- semaphore_racy.c ---------------------------------------------------===//
//
// What is done after the sem_post is not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <semaphore.h>
#include <stdio.h>

int X;
sem_t Semaphore;

static void *first(void *Argument) {
  sem_post(&Semaphore);
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  sem_wait(&Semaphore);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  sem_init(&Semaphore, 0, 0);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
