//===- pipe_buffer_racy.c -------------------------------------------------===//
//
// read and write access the buffers they are given.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <unistd.h>

int FirstPipe[2];
char Buffer[8];

static void *reader(void *Argument) {
  if (read(FirstPipe[0], Buffer, 4) != 4) // RACE 1
    abort();
  done(1);
  return Argument;
}

static void *other(void *Argument) {
  await(1);
  Buffer[5] = 'x';
  Buffer[2] = 'y'; // RACE 1
  return Argument;
}

int main(void) {
  if (pipe(FirstPipe) || write(FirstPipe[1], "abcd", 4) != 4)
    abort();
  runTwo(reader, other);
  printf("%s\ndone\n", Buffer);
}
