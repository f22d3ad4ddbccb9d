//===- pipe_ordered.c -----------------------------------------------------===//
//
// A write to a pipe is ordered before the read that gets it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>
#include <unistd.h>

int X;
int Pipe[2];

static void *first(void *Argument) {
  char Byte = 1;
  X = 1;
  if (write(Pipe[1], &Byte, 1) != 1)
    abort();
  return Argument;
}

static void *second(void *Argument) {
  char Byte;
  if (read(Pipe[0], &Byte, 1) != 1)
    abort();
  X += Byte;
  return Argument;
}

int main(void) {
  if (pipe(Pipe))
    abort();
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
