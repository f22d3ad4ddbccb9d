//===- atomic_read_before_acquire_racy.c -----------------------------------===//
//
// A read that came before the acquire load is not ordered by it, wherever the check of the read is
// made: what a thread has noted is checked before it learns. An acquire that teaches nothing, as
// the first one here, orders nothing either.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>

// On pages of their own: accesses to a page with an atomic are pending otherwise.
alignas(4096) int X[1024];
alignas(4096) atomic_int Flag;

static void *first(void *Argument) {
  X[7] = 1; // RACE 1
  done(1);
  await(2);
  atomic_store_explicit(&Flag, 1, memory_order_release);
  done(3);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Seen = X[7]; // RACE 1
  Seen += atomic_load_explicit(&Flag, memory_order_acquire);
  done(2);
  await(3);
  Seen += atomic_load_explicit(&Flag, memory_order_acquire);
  printf("%d\n", Seen);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("done\n");
}
