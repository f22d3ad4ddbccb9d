//===- socket_racy.c ------------------------------------------------------===//
//
// Sending orders nothing with somebody who has not received.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/socket.h>

int X;
int Ends[2];

static void *first(void *Argument) {
  char Byte = 1;
  X = 1; // RACE 1
  if (send(Ends[0], &Byte, 1, 0) != 1)
    abort();
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  char Byte;
  await(1);
  X = 2; // RACE 1
  if (recv(Ends[1], &Byte, 1, 0) != 1)
    abort();
  return Argument;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, Ends))
    abort();
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
