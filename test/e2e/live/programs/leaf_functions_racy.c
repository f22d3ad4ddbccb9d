//===- leaf_functions_racy.c ----------------------------------------------===//
//
// A function that calls no other is in the stacks of its accesses all the same, with whoever called
// it this time, and gone from those of what comes behind it.
//
//===----------------------------------------------------------------------===//

// STACK: sum, late, first
// STACK: set, twice, second
// STACK: behind, first

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

struct Pair {
  long A, B;
};
static struct Pair Pairs[3];

__attribute__((noinline)) static long sum(const struct Pair *P) {
  long A = P->A;
  return A + P->B; // RACE 1
}
__attribute__((noinline)) static void set(struct Pair *P, long Value) {
  P->B = Value; // RACE 1
}

__attribute__((noinline)) static long early(void) { return sum(&Pairs[0]) + 1; }
__attribute__((noinline)) static long late(void) {
  long Sum = sum(&Pairs[0]);
  return Sum + sum(&Pairs[1]);
}
__attribute__((noinline)) static long behind(const volatile struct Pair *P) {
  return P->A; // RACE 2
}

static void *first(void *Argument) {
  long Sum = early() + late();
  Sum += behind(&Pairs[2]);
  done(1);
  printf("%d\n", (int)Sum);
  return Argument;
}

__attribute__((noinline)) static int twice(struct Pair *P) {
  // Volatile, so that it is not the last thing that it does.
  volatile int Two = 2;
  P[1].A = 1; // RACE 2
  set(P, Two);
  return Two;
}

static void *second(void *Argument) {
  await(1);
  printf("%d\n", twice(&Pairs[1]));
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("done\n");
}
