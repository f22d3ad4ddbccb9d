//===- atomic_rmw_all.c ---------------------------------------------------===//
//
// All read-modify-writes, of all sizes, compute what they should and race not.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 40 40 40 40 40
// OUTPUT: 255 0 0 9
// OUTPUT: done

#include "two_threads.h"
#include <stdatomic.h>
#include <stdio.h>

atomic_uchar A;
atomic_ushort B;
atomic_uint C;
atomic_ulong D;
_Atomic(char *) E;
atomic_uchar Or;
atomic_uint And = 255;
atomic_ulong Xor;
atomic_int Exchanged;

static void *worker(void *Argument) {
  for (int I = 0; I < 20; I++) {
    atomic_fetch_add(&A, 1);
    atomic_fetch_add_explicit(&B, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&C, (unsigned)-1, memory_order_release);
    D++;
    atomic_fetch_add(&E, 1);
    atomic_fetch_or(&Or, (unsigned char)(1 << I % 8));
    atomic_fetch_and(&And, ~(1u << I % 8));
    atomic_fetch_xor(&Xor, 5);
    atomic_exchange(&Exchanged, 9);
  }
  return Argument;
}

int main(void) {
  runTwo(worker, worker);
  printf("%u %u %u %lu %ld\n", A, B, C, D, (long)E);
  printf("%u %u %lu %d\ndone\n", Or, And, Xor, Exchanged);
}
