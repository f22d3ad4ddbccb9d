//===- static_linking_ordered.c -------------------------------------------===//
//
// A statically linked program without a race is clean.
//
//===----------------------------------------------------------------------===//

// NO RACE
// FLAGS: -static
// MUST-SHOW-3

#include "two_threads.h"
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

int X;
char Text[16];
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;
pthread_once_t Once = PTHREAD_ONCE_INIT;
sem_t Semaphore;
int Ready;

static void initialise(void) { strcpy(Text, "ready"); }

static void *first(void *Argument) {
  char *Block = malloc(100);
  pthread_once(&Once, initialise);
  strcpy(Block, Text);
  X = (int)strlen(Block);
  free(Block);
  pthread_mutex_lock(&Mutex);
  Ready = 1;
  pthread_cond_signal(&Condition);
  pthread_mutex_unlock(&Mutex);
  sem_wait(&Semaphore);
  X++;
  return Argument;
}

static void *second(void *Argument) {
  pthread_once(&Once, initialise);
  pthread_mutex_lock(&Mutex);
  while (!Ready)
    pthread_cond_wait(&Condition, &Mutex);
  pthread_mutex_unlock(&Mutex);
  X += Text[0] == 'r';
  sem_post(&Semaphore);
  return Argument;
}

int main(void) {
  sem_init(&Semaphore, 0, 0);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
