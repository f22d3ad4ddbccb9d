//===- alone_between_racy.c -----------------------------------------------===//
//
// Between two pairs of threads the main thread is alone: what it does then is in no race. That does
// not keep those before it from being forgotten, nor those after it from racing.
//
//===----------------------------------------------------------------------===//

// KIND: write/write

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int X, Y;
int *Block;

static void *before(void *Argument) {
  X = 1;
  return Argument;
}

static void *first(void *Argument) {
  X = 3;        // RACE 1
  Block[1] = 4; // RACE 2
  Y++;
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X = 5;        // RACE 1
  Block[1] = 6; // RACE 2
  return Argument;
}

int main(void) {
  pthread_t Threads[2];
  X = 0;
  pthread_create(&Threads[0], NULL, before, NULL);
  pthread_join(Threads[0], NULL);
  X = 2; // alone
  Y = 2;
  Block = malloc(64);
  Block[1] = 2;
  free(Block);
  Block = malloc(64);
  Block[1] = 3;
  pthread_create(&Threads[0], NULL, first, NULL);
  pthread_create(&Threads[1], NULL, second, NULL);
  pthread_join(Threads[0], NULL);
  pthread_join(Threads[1], NULL);
  X += Block[1]; // alone again
  Y += X;
  printf("%d\ndone\n", X);
}
