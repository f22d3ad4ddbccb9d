//===- realloc_racy.c -----------------------------------------------------===//
//
// realloc ends the old block, and races with those who use it.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

char *Block;

static void *user(void *Argument) {
  Block[5] = 1; // RACE 1
  done(1);
  return Argument;
}

static void *owner(void *Argument) {
  char *Old = Block;
  await(1);
  *(char **)Argument = realloc(Old, 100000); // RACE 1
  return Argument;
}

static char *New;

static void *ownerOfNew(void *Argument) {
  owner(&New);
  return Argument;
}

int main(void) {
  Block = calloc(1, 100);
  runTwo(user, ownerOfNew);
  printf("%d\ndone\n", New[5]);
  free(New);
}
