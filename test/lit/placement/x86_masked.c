// x86's own masked and gathered accesses: a lane is active if the sign bit of its mask is set.
// RUN: %clang-ir -O2 -mavx2 %s | FileCheck %s
#include <immintrin.h>

// CHECK-LABEL: @maskload(
// CHECK: [[MASK:%.*]] = {{.*}}<4 x i32>
// CHECK: [[LANE3:%.*]] = extractelement <4 x i32> [[MASK]], i64 3
// CHECK: icmp slt i32 [[LANE3]], 0
// CHECK: [[ADDRESS:%.*]] = getelementptr i8, ptr %{{.*}}, i64 12
// CHECK: call void @__pf_read4(ptr{{.*}} [[ADDRESS]],
// CHECK: call <4 x i32> @llvm.x86.avx2.maskload.d
__m128i maskload(int *p, __m128i mask) { return _mm_maskload_epi32(p, mask); }

// CHECK-LABEL: @maskstore(
// CHECK-COUNT-4: call void @__pf_write8(
// CHECK-NOT: @__pf_write8
// CHECK: call void @llvm.x86.avx.maskstore.pd.256
void maskstore(double *p, __m256i mask, __m256d v) { _mm256_maskstore_pd(p, mask, v); }

// Four floats by two indices.
// CHECK-LABEL: @gather(
// CHECK: [[INDEX:%.*]] = extractelement <2 x i64> %{{.*}}, i64 1
// CHECK: [[OFFSET:%.*]] = shl i64 [[INDEX]], 2
// CHECK: [[ADDRESS:%.*]] = getelementptr i8, ptr %{{.*}}, i64 [[OFFSET]]
// CHECK: call void @__pf_read4(ptr{{.*}} [[ADDRESS]],
// CHECK-NOT: @__pf_read4
// CHECK: call <4 x float> @llvm.x86.avx2.gather.q.ps
__m128 gather(float *p, __m128i index, __m128 mask) {
  return _mm_mask_i64gather_ps(mask, p, index, mask, 4);
}

// CHECK-LABEL: @bytes(
// CHECK-COUNT-16: call void @__pf_write1(
// CHECK: call void @llvm.x86.sse2.maskmov.dqu
void bytes(__m128i v, __m128i mask, char *p) { _mm_maskmoveu_si128(v, mask, p); }
