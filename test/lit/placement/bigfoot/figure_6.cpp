// bigfoot.txt, Figure 6: (a) an access of one branch is checked there, one that is anticipated behind the branches is
// not; (b) of a loop, the range that it has gone through and the field that it reads each time are checked behind it.
// RUN: %clangxx-ir %bigfoot -O1 -fno-unroll-loops -mllvm -simplifycfg-sink-common=0 %s | FileCheck %s

struct B {
  int f, g;
};

void opaque(int) __attribute__((nothrow, pure));

// CHECK-LABEL: @_Z9figure6_aiR1BPi(
// CHECK: load i32, ptr %g
// CHECK: call void @__pf_read4(ptr {{.*}}%g,
// CHECK-NOT: call void @__pf_read
// CHECK: {{^}}if.end
// CHECK: load i32, ptr %b
// CHECK: call void @__pf_read4(ptr {{.*}}%b,
// CHECK: ret i32
int figure6_a(int i, B &b, int *) {
  int y = 0;
  if (i < 0)
    y = b.g;
  return y + b.f;
}

// CHECK-LABEL: @_Z9figure6_bR1BPil(
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: store i32
// CHECK: br i1
// CHECK-DAG: call void @__pf_write_range(ptr {{.*}}%a,
// CHECK-DAG: call void @__pf_read4(ptr {{.*}}%b,
// CHECK: ret void
void figure6_b(B &b, int *a, long n) {
  long i = 0;
  do {
    a[i] = b.f;
  } while (++i < n);
}
