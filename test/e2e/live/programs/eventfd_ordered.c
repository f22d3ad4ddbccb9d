//===- eventfd_ordered.c --------------------------------------------------===//
//
// A write to an eventfd is ordered before the read that takes its count.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

int X;
int Event;

static void *first(void *Argument) {
  uint64_t One = 1;
  X = 1;
  if (write(Event, &One, sizeof(One)) != sizeof(One))
    abort();
  return Argument;
}

static void *second(void *Argument) {
  eventfd_t Count;
  if (eventfd_read(Event, &Count))
    abort();
  X += (int)Count;
  return Argument;
}

int main(void) {
  Event = eventfd(0, 0);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
