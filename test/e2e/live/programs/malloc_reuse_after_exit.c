//===- malloc_reuse_after_exit.c ------------------------------------------===//
//
// Blocks of a thread that has ended are reused without a race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *worker(void *Argument) {
  for (int I = 0; I < 200; I++) {
    int *Block = malloc(24);
    *Block = I;
    free(Block);
  }
  arrive();
  return Argument;
}

int main(void) {
  pthread_t Threads[20];
  for (int I = 0; I < 20; I++) {
    pthread_create(&Threads[I], NULL, worker, NULL);
    await(I + 1);
  }
  for (int I = 0; I < 20; I++)
    pthread_join(Threads[I], NULL);
  printf("done\n");
}
