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
