//===- once_racy.c --------------------------------------------------------===//
//
// pthread_once orders with the one that initialised, not with those who came later.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X, Y;
pthread_once_t Once = PTHREAD_ONCE_INIT;

static void initialise(void) { Y = 1; }

static void *first(void *Argument) {
  pthread_once(&Once, initialise);
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_once(&Once, initialise);
  X = 1 + Y; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
