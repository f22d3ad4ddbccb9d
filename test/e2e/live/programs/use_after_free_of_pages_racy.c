//===- use_after_free_of_pages_racy.c -------------------------------------===//
//
// A large block is freed, and its whole pages give their shadow back. That they were freed is
// not forgotten: neither where nobody has been since, nor beside a small block that has been
// allocated in the middle of such a page and is fresh.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>

enum { Bytes = 100000, Small = 6000 };
char *Block; // atomic, relaxed: it orders nothing
char Sink;

static void *owner(void *Argument) {
  char *Memory = malloc(Bytes);
  char *Above = malloc(16); // keeps the block from becoming the heap's unused end
  for (int I = 0; I < Bytes; ++I)
    Memory[I] = 1;
  volatile uintptr_t Where = (uintptr_t)Memory; // a pointer that is freed equals none that is new
  free(Memory);                                 // RACE 1 2
  // glibc gives out the beginning of what was freed last.
  char *Fresh = malloc(Small);
  if ((uintptr_t)Fresh != Where)
    abort();
  Fresh[Small - 1] = 2; // RACE 3
  __atomic_store_n(&Block, (char *)Where, __ATOMIC_RELAXED);
  done(1);
  await(2);
  free(Fresh);
  free(Above);
  return Argument;
}

static void *user(void *Argument) {
  await(1);
  char *Stale = __atomic_load_n(&Block, __ATOMIC_RELAXED);
  Sink += Stale[Bytes / 2];   // RACE 1
  Sink += Stale[Small + 100]; // RACE 2
  Sink += Stale[Small - 1];   // RACE 3
  done(2);
  return Argument;
}

int main(void) {
  runTwo(owner, user);
  printf("done\n");
}
