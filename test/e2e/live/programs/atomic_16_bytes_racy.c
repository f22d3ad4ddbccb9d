//===- atomic_16_bytes_racy.c ---------------------------------------------===//
//
// A 16-byte atomic races with a plain access to its last byte.
//
//===----------------------------------------------------------------------===//

// FLAGS: -mcx16

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

typedef unsigned __int128 Wide;
union {
  Wide Whole;
  char Bytes[16];
} U;

static void *first(void *Argument) {
  __atomic_store_n(&U.Whole, (Wide)1, __ATOMIC_SEQ_CST); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  U.Bytes[15] = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", U.Bytes[15]);
}
