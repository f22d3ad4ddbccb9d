//===- atomic_beside_noted_read_racy.c ------------------------------------===//
//
// A plain read and then an atomic store to the bytes behind it both race with the same write: each
// is told by its own line, although one was only noted until the other came.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

_Alignas(8) char Bytes[16];
volatile uint64_t Eight = 8;
uint64_t Sum;

static void *first(void *Argument) {
  await(1);
  memcpy(Bytes + 4, (const void *)&Eight, 8); // RACE 1 2
  atomic_thread_fence(memory_order_release);  // checks what is noted
  done(2);
  return Argument;
}

static void *second(void *Argument) {
  done(1);
  await(2);
  Sum = *(volatile uint64_t *)Bytes;                              // RACE 1
  __atomic_store_n((uint16_t *)(Bytes + 8), 1, __ATOMIC_SEQ_CST); // RACE 2
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", (int)(Sum & 0));
}
