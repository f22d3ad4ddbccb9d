//===- printf_racy.c ------------------------------------------------------===//
//
// snprintf writes its buffer.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

char Buffer[32];

static void *first(void *Argument) {
  snprintf(Buffer, sizeof(Buffer), "%d", 1234); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Buffer[2] = 'x'; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%s\ndone\n", Buffer);
}
