//===- fence_alone_racy.c -------------------------------------------------===//
//
// Fences without an atomic access between them order nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

int X;

static void *first(void *Argument) {
  X = 1; // RACE 1
  atomic_thread_fence(memory_order_seq_cst);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  atomic_thread_fence(memory_order_seq_cst);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
