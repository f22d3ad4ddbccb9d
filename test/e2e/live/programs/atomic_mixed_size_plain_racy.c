//===- atomic_mixed_size_plain_racy.c -------------------------------------===//
//
// An atomic races with a plain access to one of its bytes.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>

union {
  uint64_t Whole;
  uint8_t Bytes[8];
} U;

static void *first(void *Argument) {
  __atomic_fetch_add(&U.Whole, 1, __ATOMIC_SEQ_CST); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  U.Bytes[7] = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", U.Bytes[7]);
}
