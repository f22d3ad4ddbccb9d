//===- join_other_racy.c --------------------------------------------------===//
//
// Joining one thread says nothing about another.
//
//===----------------------------------------------------------------------===//

// KIND: write/read

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;

static void *writer(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *bystander(void *Argument) {
  await(1);
  return Argument;
}

int main(void) {
  pthread_t Writer, Bystander;
  pthread_create(&Writer, NULL, writer, NULL);
  pthread_create(&Bystander, NULL, bystander, NULL);
  pthread_join(Bystander, NULL);
  int Seen = X; // RACE 1
  pthread_join(Writer, NULL);
  printf("%d\ndone\n", Seen);
}
