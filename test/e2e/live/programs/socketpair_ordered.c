//===- socketpair_ordered.c -----------------------------------------------===//
//
// send orders before recv on the other end of a socket pair.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>
#include <sys/socket.h>

int X;
int Ends[2];

static void *first(void *Argument) {
  char Byte = 1;
  X = 1;
  if (send(Ends[0], &Byte, 1, 0) != 1)
    abort();
  if (recv(Ends[0], &Byte, 1, 0) != 1)
    abort();
  X += Byte;
  return Argument;
}

static void *second(void *Argument) {
  char Byte;
  if (recv(Ends[1], &Byte, 1, 0) != 1)
    abort();
  X += Byte;
  Byte = 5;
  if (send(Ends[1], &Byte, 1, 0) != 1)
    abort();
  return Argument;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, Ends))
    abort();
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
