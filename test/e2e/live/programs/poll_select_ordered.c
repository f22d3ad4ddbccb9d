//===- poll_select_ordered.c ----------------------------------------------===//
//
// poll and select, followed by the read that they announce.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

int X, Y;
int Pipe[2];

static void *first(void *Argument) {
  char Byte = 1;
  X = 1;
  if (write(Pipe[1], &Byte, 1) != 1)
    abort();
  Y = 1;
  if (write(Pipe[1], &Byte, 1) != 1)
    abort();
  return Argument;
}

static void *second(void *Argument) {
  char Byte;
  struct pollfd Interest = {.fd = Pipe[0], .events = POLLIN};
  fd_set Set;
  if (poll(&Interest, 1, -1) != 1 || read(Pipe[0], &Byte, 1) != 1)
    abort();
  X += Byte;
  FD_ZERO(&Set);
  FD_SET(Pipe[0], &Set);
  if (select(Pipe[0] + 1, &Set, NULL, NULL, NULL) != 1 || read(Pipe[0], &Byte, 1) != 1)
    abort();
  Y += Byte;
  return Argument;
}

int main(void) {
  if (pipe(Pipe))
    abort();
  runTwo(first, second);
  printf("%d %d\ndone\n", X, Y);
}
