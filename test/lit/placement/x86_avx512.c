// Gathers and scatters of AVX-512, which have masks of bits.
// RUN: %clang-ir -O2 -mavx512f %s | FileCheck %s
#include <immintrin.h>

// CHECK-LABEL: @gather(
// CHECK-COUNT-8: call void @__pf_read8(
// CHECK-NOT: @__pf_read8
// CHECK: @llvm.x86.avx512.mask.gather.qpd.512
__m512d gather(double *p, __m512i index, __mmask8 mask, __m512d other) {
  return _mm512_mask_i64gather_pd(other, mask, index, p, 8);
}

// CHECK-LABEL: @scatter(
// CHECK-COUNT-16: call void @__pf_write4(
// CHECK-NOT: @__pf_write4
// CHECK: @llvm.x86.avx512.mask.scatter.dpi.512
void scatter(int *p, __m512i index, __mmask16 mask, __m512i v) {
  _mm512_mask_i32scatter_epi32(p, mask, index, v, 4);
}

// CHECK-LABEL: @masked(
// CHECK-COUNT-16: call void @__pf_write4(
// CHECK-NOT: @__pf_write4
// CHECK: call void @llvm.masked.store
void masked(int *p, __mmask16 mask, __m512i v) { _mm512_mask_storeu_epi32(p, mask, v); }
