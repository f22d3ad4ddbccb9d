//===- neighbours.c -------------------------------------------------------===//
//
// Threads that write neighbouring bytes do not race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

char Bytes[16];
struct {
  char A;
  char B;
  short C;
} S;

static void *first(void *Argument) {
  for (int I = 0; I < 16; I += 2)
    Bytes[I]++;
  S.A++;
  S.C++;
  return Argument;
}

static void *second(void *Argument) {
  for (int I = 1; I < 16; I += 2)
    Bytes[I]++;
  S.B++;
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d\ndone\n", Bytes[0] + Bytes[15] + S.A + S.B + S.C);
}
