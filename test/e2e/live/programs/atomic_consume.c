//===- atomic_consume.c ---------------------------------------------------===//
//
// A consume load orders as an acquire load does.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;
_Atomic(int *) Pointer;

static void *first(void *Argument) {
  X = 1;
  atomic_store_explicit(&Pointer, &X, memory_order_release);
  return Argument;
}

static void *second(void *Argument) {
  int *Seen;
  while (!(Seen = atomic_load_explicit(&Pointer, memory_order_consume)))
    ;
  ++*Seen;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
