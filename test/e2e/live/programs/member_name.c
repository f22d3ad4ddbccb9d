//===- member_name.c ------------------------------------------------------===//
//
// The report names the variable and, with debug information, its member.
//
//===----------------------------------------------------------------------===//

// EXPECT-OBJECT: "name": "Shared"
// EXPECT-OBJECT: Balance

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

struct Account {
  char Owner[16];
  long Balance;
} Shared;

static void *first(void *Argument) {
  Shared.Balance = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Shared.Balance = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%ld\ndone\n", Shared.Balance);
}
