// A loop that can be left in many places is expected to be short, and not worth a range. -O2, because -O1 leaves one
// way out of it.
// RUN: %clangxx-ir %bigfoot -O2 -fno-unroll-loops %s | FileCheck %s

// CHECK-LABEL: @_Z6kindOfPKllllll(
// CHECK-NOT: _range(
// CHECK: call void @__pf_read8(
// CHECK-NOT: _range(
// CHECK: {{^}$}}
long kindOf(const long *a, long n, long p, long q, long r, long s) {
  for (long i = 0; i < n; i++) {
    long x = a[i];
    if (x == p)
      return 1;
    if (x * 3 == q)
      return i;
    if (x > r)
      return n;
    if ((x ^ 5) == s)
      return x;
  }
  return 0;
}

// One with a single way out beside its end is not.
// CHECK-LABEL: @_Z5placePKlll(
// CHECK: call void @__pf_read_range(
// CHECK: {{^}$}}
long place(const long *a, long n, long p) {
  for (long i = 0; i < n; i++)
    if (a[i] == p)
      return i;
  return n;
}

// Nor is one of a few iterations that access an element each,
// CHECK-LABEL: @_Z3fewPKt(
// CHECK-NOT: _range(
// CHECK: call void @__pf_read2(
// CHECK-NOT: _range(
// CHECK: {{^}$}}
unsigned few(const unsigned short *a) {
  unsigned s = 0;
#pragma clang loop unroll(disable)
  for (int i = 0; i < 8; i++)
    s = s * 31 + a[i];
  return s;
}

// unless they are several, side by side: that many checks.
// CHECK-LABEL: @_Z7severalPKt(
// CHECK-NOT: call void @__pf
// CHECK: call void @__pf_read_range(ptr {{.*}}%a, i64 48, ptr
// CHECK-NOT: call void @__pf
// CHECK: {{^}$}}
unsigned several(const unsigned short *a) {
  unsigned s = 0;
#pragma clang loop unroll(disable)
  for (int i = 0; i < 8; i++)
    s = (s * 31 + a[3 * i]) ^ (a[3 * i + 1] + a[3 * i + 2]);
  return s;
}
