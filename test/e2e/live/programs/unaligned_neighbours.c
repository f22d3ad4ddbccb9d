//===- unaligned_neighbours.c ---------------------------------------------===//
//
// Unaligned accesses that only touch each other's neighbours do not race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>

_Alignas(4096) char Memory[3 * 4096];
typedef uint32_t Unaligned __attribute__((aligned(1)));

static void *first(void *Argument) {
  *(Unaligned *)(Memory + 5) = 1;
  *(Unaligned *)(Memory + 4094) = 1;
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  *(Unaligned *)(Memory + 1) = 1;
  *(Unaligned *)(Memory + 9) = 1;
  *(Unaligned *)(Memory + 4090) = 1;
  *(Unaligned *)(Memory + 4098) = 1;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Memory[1] + Memory[5] + Memory[9]);
}
