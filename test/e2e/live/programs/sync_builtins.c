//===- sync_builtins.c ----------------------------------------------------===//
//
// The old __sync builtins are full barriers, lock_test_and_set acquires.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>

int X;
int Lock, Count;

static void *worker(void *Argument) {
  for (int I = 0; I < 100; I++) {
    while (__sync_lock_test_and_set(&Lock, 1))
      ;
    X++;
    __sync_lock_release(&Lock);
    __sync_fetch_and_add(&Count, 1);
    __sync_bool_compare_and_swap(&Count, -1, 0);
    __sync_synchronize();
  }
  return Argument;
}

int main(void) {
  runTwo(worker, worker);
  printf("%d %d\ndone\n", X, Count);
}
