//===- use_after_free_racy.c ----------------------------------------------===//
//
// Use of a block that another thread has freed races with the free.
//
//===----------------------------------------------------------------------===//

// EXPECT-OBJECT: "freed"

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int *Block;
int Seen;

static void *owner(void *Argument) {
  free(Block); // RACE 1
  done(1);
  return Argument;
}

static void *user(void *Argument) {
  await(1);
  Seen = Block[6]; // RACE 1
  return Argument;
}

int main(void) {
  Block = calloc(10, sizeof(int));
  runTwo(owner, user);
  printf("%d\ndone\n", Seen & 0);
}
