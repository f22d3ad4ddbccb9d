//===- atomic_mixed_size.c ------------------------------------------------===//
//
// Atomics of different sizes that overlap synchronize and do not race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>

int X, Y;
union {
  uint64_t Whole;
  uint32_t Halves[2];
  uint8_t Bytes[8];
} U;

static void *first(void *Argument) {
  X = 1;
  __atomic_store_n(&U.Halves[1], 1, __ATOMIC_RELEASE);
  Y = 1;
  __atomic_store_n(&U.Whole, UINT64_MAX, __ATOMIC_RELEASE);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Byte = __atomic_load_n(&U.Bytes[5], __ATOMIC_ACQUIRE);
  X += Byte;
  Y += Byte;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Y);
}
