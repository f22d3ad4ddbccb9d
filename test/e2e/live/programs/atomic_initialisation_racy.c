//===- atomic_initialisation_racy.c ---------------------------------------===//
//
// Initialising an atomic object is a plain write.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

atomic_int X;
int Seen;

static void *first(void *Argument) {
  atomic_init(&X, 1); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Seen = atomic_load(&X); // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Seen);
}
