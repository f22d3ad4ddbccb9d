//===- once_ordered.c -----------------------------------------------------===//
//
// pthread_once orders the initialisation before everybody who returns from it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>

int X;
int Sums[8];
pthread_once_t Once = PTHREAD_ONCE_INIT;

static void initialise(void) { X = 42; }

static void *worker(void *Argument) {
  pthread_once(&Once, initialise);
  *(int *)Argument = X;
  return NULL;
}

int main(void) {
  pthread_t Threads[8];
  for (int I = 0; I < 8; I++)
    pthread_create(&Threads[I], NULL, worker, &Sums[I]);
  for (int I = 0; I < 8; I++)
    pthread_join(Threads[I], NULL);
  printf("%d\ndone\n", Sums[3] + Sums[7]);
}
