//===- mmap_fixed_ordered.c -----------------------------------------------===//
//
// Mapping over memory begins a new life for it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/mman.h>

enum { Size = 8192 };
char *Place;

static void *second(void *Argument) {
  await(1);
  Place[10] = 2;
  return Argument;
}

static void *first(void *Argument) {
  Place[10] = 1;
  if (mmap(Place, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
      Place)
    abort();
  done(1);
  return Argument;
}

int main(void) {
  Place = mmap(NULL, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  runTwo(first, second);
  printf("%d\ndone\n", Place[10]);
}
