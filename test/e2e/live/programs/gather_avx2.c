//===- gather_avx2.c ------------------------------------------------------===//
//
// A gather reads where its indices point.
//
//===----------------------------------------------------------------------===//

// NEEDS: avx2

#include "invisible.h"
#include "two_threads.h"
#include <immintrin.h>
#include <stdio.h>

int X[64];
int Indices[8] = {0, 8, 16, 24, 32, 40, 48, 56};
int Sum;

__attribute__((target("avx2"))) static void *first(void *Argument) {
  __m256i Index = _mm256_loadu_si256((__m256i *)Indices);
  Sum = _mm256_extract_epi32(_mm256_i32gather_epi32(X, Index, 4), 3); // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X[23] = 2;
  X[25] = 2;
  X[56] = 2; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", Sum, X[56]);
}
