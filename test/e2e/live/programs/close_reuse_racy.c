//===- close_reuse_racy.c -------------------------------------------------===//
//
// A new pipe that gets an old pipe's number has none of its past.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <unistd.h>

int X;

static void *first(void *Argument) {
  char Byte = 1;
  int Pipe[2];
  X = 1; // RACE 1
  if (pipe(Pipe) || write(Pipe[1], &Byte, 1) != 1)
    abort();
  close(Pipe[0]);
  close(Pipe[1]);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  char Byte = 1;
  int Pipe[2];
  await(1);
  if (pipe(Pipe) || write(Pipe[1], &Byte, 1) != 1 || read(Pipe[0], &Byte, 1) != 1)
    abort();
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
