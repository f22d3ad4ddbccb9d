//===- aligned_allocation.c -----------------------------------------------===//
//
// aligned_alloc, posix_memalign and their kin: aligned, named and freed.
//
//===----------------------------------------------------------------------===//

// EXPECT-OBJECT: "size": 256\b

#define _GNU_SOURCE
#include "invisible.h"
#include "two_threads.h"
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>

char *Blocks[3];

static void *first(void *Argument) {
  Blocks[0][7] = 1; // RACE 1
  Blocks[1][7] = 1; // RACE 2
  Blocks[2][7] = 1; // RACE 3
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Blocks[0][7] = 2; // RACE 1
  Blocks[1][7] = 2; // RACE 2
  Blocks[2][7] = 2; // RACE 3
  return Argument;
}

int main(void) {
  Blocks[0] = aligned_alloc(64, 256);
  if (posix_memalign((void **)&Blocks[1], 128, 256))
    abort();
  Blocks[2] = memalign(256, 256);
  int Aligned = (uintptr_t)Blocks[0] % 64 == 0 && (uintptr_t)Blocks[1] % 128 == 0 &&
                (uintptr_t)Blocks[2] % 256 == 0 && malloc_usable_size(Blocks[2]) >= 256;
  runTwo(first, second);
  for (int I = 0; I < 3; I++)
    free(Blocks[I]);
  printf("%d\ndone\n", Aligned);
}
