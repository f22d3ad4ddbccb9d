//===- heap_object.c ------------------------------------------------------===//
//
// The report says which block, how large, where in it, and who allocated it.
//
//===----------------------------------------------------------------------===//

// EXPECT-OBJECT: "size": 100\b
// EXPECT-OBJECT: "type": "heap"
// EXPECT-OBJECT: "function": "makeBlock
// KIND: write/write

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

char *Block;

__attribute__((noinline)) static char *makeBlock(void) { return malloc(100); }

static void *first(void *Argument) {
  Block[10] = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Block[10] = 2; // RACE 1
  return Argument;
}

int main(void) {
  Block = makeBlock();
  runTwo(first, second);
  printf("%d\ndone\n", Block[10]);
  free(Block);
}
