//===- pipe_racy.c --------------------------------------------------------===//
//
// Writing to one pipe and reading from another orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <unistd.h>

int X;
int FirstPipe[2], SecondPipe[2];

static void *first(void *Argument) {
  char Byte = 1;
  X = 1; // RACE 1
  if (write(FirstPipe[1], &Byte, 1) != 1)
    abort();
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  char Byte;
  await(1);
  if (read(SecondPipe[0], &Byte, 1) != 1)
    abort();
  X = Byte; // RACE 1
  return Argument;
}

int main(void) {
  char Byte = 2;
  if (pipe(FirstPipe) || pipe(SecondPipe) || write(SecondPipe[1], &Byte, 1) != 1)
    abort();
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
