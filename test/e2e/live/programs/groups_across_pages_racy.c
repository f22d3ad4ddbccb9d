//===- groups_across_pages_racy.c -----------------------------------------===//
//
// Accesses that are checked together, the last of them in the next page: what a thread has noted of
// the first page says nothing about it, whatever lies behind the bits of that page's last bytes.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdalign.h>
#include <stdio.h>

enum { PageBytes = 4096 };
alignas(PageBytes) static char Pages[4 * PageBytes];

struct Pair {
  long A, B;
};
struct Four {
  int A, B, C, D;
};

__attribute__((noinline)) static long sumOfPair(const struct Pair *P) {
  long A = P->A;
  return A + P->B; // RACE 1
}
__attribute__((noinline)) static int sumOfFour(const struct Four *F) {
  int Sum = F->A + F->B;
  Sum += F->C; // RACE 2
  return Sum + F->D;
}

/// The last granule of a page, and the first of the next one.
static void *acrossEndOf(int Page) { return Pages + (Page + 1) * PageBytes - 8; }

static void *first(void *Argument) {
  // In the first page: a granule that is written, the first one, and one that is read, the last.
  *(volatile long *)Pages = 1;
  struct Pair *P = acrossEndOf(0);
  long Sum = *(volatile long *)&P->A;
  Sum += sumOfPair(P);
  // In the third, the same with halves of granules.
  ((volatile int *)(Pages + 2 * PageBytes))[0] = 1;
  ((volatile int *)(Pages + 2 * PageBytes))[1] = 1;
  struct Four *F = acrossEndOf(2);
  Sum += *(volatile int *)&F->A + *(volatile int *)&F->B;
  Sum += sumOfFour(F);
  done(1);
  printf("%d\n", (int)Sum);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  ((struct Pair *)acrossEndOf(0))->B = 1; // RACE 1
  ((struct Four *)acrossEndOf(2))->C = 1; // RACE 2
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("done\n");
}
