//===- byte_of_word_racy.c ------------------------------------------------===//
//
// A 4-byte write and a 1-byte read inside it race.
//
//===----------------------------------------------------------------------===//

// KIND: write/read

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

union {
  int Word;
  char Bytes[4];
} U;
char Seen;

static void *first(void *Argument) {
  U.Word = 0x01020304; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Seen = U.Bytes[3]; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Seen);
}
