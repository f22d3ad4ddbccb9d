//===- semaphore_ordered.c ------------------------------------------------===//
//
// sem_post orders before the sem_wait that takes what it gave.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int X;
sem_t Ping, Pong;

static void *first(void *Argument) {
  for (int I = 0; I < 50; I++) {
    X++;
    sem_post(&Ping);
    sem_wait(&Pong);
  }
  return Argument;
}

static void *second(void *Argument) {
  struct timespec Late = {.tv_sec = time(NULL) + 1000};
  for (int I = 0; I < 50; I++) {
    if (I % 3 == 0)
      sem_wait(&Ping);
    else if (I % 3 == 1)
      sem_timedwait(&Ping, &Late);
    else
      while (sem_trywait(&Ping))
        ;
    X++;
    sem_post(&Pong);
  }
  return Argument;
}

int main(void) {
  sem_init(&Ping, 0, 0);
  sem_init(&Pong, 0, 0);
  runTwo(first, second);
  sem_destroy(&Ping);
  sem_destroy(&Pong);
  printf("%d\ndone\n", X);
}
