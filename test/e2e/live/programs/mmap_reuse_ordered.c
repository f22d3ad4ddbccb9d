//===- mmap_reuse_ordered.c -----------------------------------------------===//
//
// Memory that is unmapped and mapped again has no past.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/mman.h>

enum { Size = 1 << 16 };
char *Place;

static void *first(void *Argument) {
  Place = mmap(NULL, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int I = 0; I < Size; I += 512)
    Place[I] = 1;
  munmap(Place, Size);
  done(1);
  return Argument;
}

static char *Again;

static void *second(void *Argument) {
  await(1);
  Again = mmap(NULL, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int I = 0; I < Size; I += 512)
    Again[I] = 2;
  munmap(Again, Size);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("done\n");
}
