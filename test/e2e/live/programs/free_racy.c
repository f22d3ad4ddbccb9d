//===- free_racy.c --------------------------------------------------------===//
//
// Freeing a block races with another thread's use of it.
//
//===----------------------------------------------------------------------===//

// KIND: free
// EXPECT-OBJECT: "type": "heap"

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int *Block;

static void *user(void *Argument) {
  Block[1] = 1; // RACE 1
  done(1);
  return Argument;
}

static void *owner(void *Argument) {
  await(1);
  free(Block); // RACE 1
  return Argument;
}

int main(void) {
  Block = malloc(4 * sizeof(int));
  runTwo(user, owner);
  printf("done\n");
}
