// With -photofinish-verify an access whose check is elsewhere is announced, and the site of the check says that it is one
// (flags 16, and 1 for a write).
// RUN: %clang-ir %bigfoot -mllvm -photofinish-verify -O1 -fno-unroll-loops %s | FileCheck %s

// CHECK-DAG: [[ACCESS:@pf_site[.0-9]*]] = private constant {{.*}} i8 4, i8 1, i32 0 }
// CHECK-DAG: [[CHECK:@pf_site[.0-9]*]] = private constant {{.*}} i8 4, i8 17, i32 0 }
// CHECK-LABEL: @fill(
// CHECK: call void @__pf_accessed_write(ptr {{.*}}, i64 4, ptr {{.*}}[[ACCESS]])
// CHECK-NEXT: store i32
// CHECK: call void @__pf_write_range(ptr {{.*}}%a, i64 {{.*}}, ptr {{.*}}[[CHECK]])
void fill(int *a, long n, int x) {
  for (long i = 0; i < n; i++)
    a[i] = x;
}
