//===- narrow_beside_whole_racy.c -----------------------------------------===//
//
// A thread that has read whole granules of a page, and nothing less, has not read the bytes of any
// other: whatever a test of those finds where there are no bits so far, it is none.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>

alignas(4096) static char Page[4096];

static void *first(void *Argument) {
  uint64_t Sum = 0;
  for (int I = 0; I < 64; ++I)
    Sum += ((volatile uint64_t *)Page)[I];
  for (int I = 64; I < 128; ++I)
    Sum += *(volatile uint32_t *)(Page + I * 8); // RACE 1
  done(1);
  printf("%d\n", (int)Sum);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  *(volatile uint32_t *)(Page + 544) = 1; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("done\n");
}
