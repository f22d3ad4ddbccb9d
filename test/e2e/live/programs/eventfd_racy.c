//===- eventfd_racy.c -----------------------------------------------------===//
//
// Two writers of an eventfd are not ordered by it.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/eventfd.h>

int X;
int Event;

static void *first(void *Argument) {
  X = 1; // RACE 1
  eventfd_write(Event, 1);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  eventfd_write(Event, 1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  Event = eventfd(0, 0);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
