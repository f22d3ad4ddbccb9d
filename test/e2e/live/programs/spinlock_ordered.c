//===- spinlock_ordered.c -------------------------------------------------===//
//
// A spinlock orders, taken by lock or trylock.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X;
pthread_spinlock_t Lock;

static void *locks(void *Argument) {
  for (int I = 0; I < 100; I++) {
    pthread_spin_lock(&Lock);
    X++;
    pthread_spin_unlock(&Lock);
  }
  return Argument;
}

static void *tries(void *Argument) {
  for (int I = 0; I < 100; I++) {
    while (pthread_spin_trylock(&Lock))
      ;
    X++;
    pthread_spin_unlock(&Lock);
  }
  return Argument;
}

int main(void) {
  pthread_spin_init(&Lock, PTHREAD_PROCESS_PRIVATE);
  runTwo(locks, tries);
  pthread_spin_destroy(&Lock);
  printf("%d\ndone\n", X);
}
