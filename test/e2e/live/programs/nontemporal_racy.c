//===- nontemporal_racy.c -------------------------------------------------===//
//
// A nontemporal store is a store.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;

static void *first(void *Argument) {
  __builtin_nontemporal_store(1, &X); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
