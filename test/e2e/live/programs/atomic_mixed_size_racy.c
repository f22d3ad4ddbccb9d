//===- atomic_mixed_size_racy.c -------------------------------------------===//
//
// An atomic that reads other bytes than those released is not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>

int X;
union {
  uint64_t Whole;
  uint32_t Halves[2];
} U;

static void *first(void *Argument) {
  X = 1; // RACE 1
  __atomic_store_n(&U.Halves[0], 1, __ATOMIC_RELEASE);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Seen = (int)__atomic_load_n(&U.Halves[1], __ATOMIC_ACQUIRE);
  X = 2 + Seen; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
