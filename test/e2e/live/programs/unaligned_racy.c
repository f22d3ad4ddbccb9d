//===- unaligned_racy.c ---------------------------------------------------===//
//
// Accesses that cross the borders of words, lines and pages race byte by byte.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

_Alignas(4096) char Memory[3 * 4096];
typedef uint64_t Unaligned __attribute__((aligned(1)));

static void *first(void *Argument) {
  *(Unaligned *)(Memory + 13) = 1;   // RACE 1
  *(Unaligned *)(Memory + 125) = 1;  // RACE 2
  *(Unaligned *)(Memory + 4091) = 1; // RACE 3
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Memory[12] = 2;
  Memory[21] = 2;
  Memory[20] = 2;  // RACE 1
  Memory[132] = 2; // RACE 2
  Memory[133] = 2;
  Memory[4098] = 2; // RACE 3
  Memory[4099] = 2;
  Memory[4090] = 2;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Memory[20] + Memory[132] + Memory[4098]);
}
