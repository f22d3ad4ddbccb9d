//===- masked_avx2.c ------------------------------------------------------===//
//
// A masked store touches the lanes of its mask and no other.
//
//===----------------------------------------------------------------------===//

// NEEDS: avx2

#include "invisible.h"
#include "two_threads.h"
#include <immintrin.h>
#include <stdio.h>

int X[8], Y[8];
int MaskBits[8] = {-1, 0, -1, 0, 0, 0, 0, -1};

__attribute__((target("avx2"))) static void *first(void *Argument) {
  __m256i Mask = _mm256_loadu_si256((__m256i *)MaskBits);
  _mm256_maskstore_epi32(X, Mask, _mm256_set1_epi32(5));          // RACE 1
  Y[0] = _mm256_extract_epi32(_mm256_maskload_epi32(Y, Mask), 7); // RACE 2
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X[1] = 2;
  X[6] = 2;
  X[7] = 2; // RACE 1
  Y[1] = 2;
  Y[2] = 2; // RACE 2
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", X[0] + X[7], Y[2]);
}
