//===- odd_integers_racy.c ------------------------------------------------===//
//
// Integers of odd widths are accessed by their bytes.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

struct __attribute__((packed)) Three {
  unsigned Value : 24;
};
union {
  struct Three Value;
  char Bytes[4];
} U;

static void *first(void *Argument) {
  U.Value.Value = 0x010203; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  U.Bytes[3] = 2;
  U.Bytes[2] = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", U.Bytes[2]);
}
