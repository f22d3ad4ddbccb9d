//===- detach_ordered.c ---------------------------------------------------===//
//
// A detached thread can be waited for by other means.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

int X;
sem_t Finished;

static void *worker(void *Argument) {
  X = 1;
  sem_post(&Finished);
  return Argument;
}

int main(void) {
  pthread_attr_t Attributes;
  pthread_t Thread;
  sem_init(&Finished, 0, 0);
  pthread_attr_init(&Attributes);
  pthread_attr_setdetachstate(&Attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&Thread, &Attributes, worker, NULL);
  pthread_attr_destroy(&Attributes);
  sem_wait(&Finished);
  X = 2;
  printf("%d\ndone\n", X);
}
