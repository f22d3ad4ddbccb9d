//===- atomic_16_bytes.c --------------------------------------------------===//
//
// A 16-byte atomic orders and does not race with itself.
//
//===----------------------------------------------------------------------===//

// NO RACE
// FLAGS: -mcx16

#include "two_threads.h"
#include <stdio.h>

typedef unsigned __int128 Wide;
_Alignas(16) Wide Flag;
int X;

static void *first(void *Argument) {
  Wide Expected = 0;
  X = 1;
  __atomic_compare_exchange_n(&Flag, &Expected, ((Wide)1 << 64) | 1, 0, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
  return Argument;
}

static void *second(void *Argument) {
  while (!(__atomic_load_n(&Flag, __ATOMIC_ACQUIRE) >> 64))
    ;
  X++;
  __atomic_fetch_add(&Flag, 1, __ATOMIC_RELAXED);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, (int)Flag);
}
