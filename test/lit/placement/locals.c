// A local whose address goes nowhere cannot race; one whose address does can, from its first access on.
// RUN: %clang-ir -O0 %s | FileCheck %s

// CHECK-LABEL: @stays(
// CHECK-NOT: @__pf_
// CHECK: ret i32
int stays(int n) {
  int array[4] = {1, 2, 3, 4};
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += array[i] * n;
  return sum;
}

void share(int *);

// CHECK-LABEL: @escapes(
// CHECK: call void @__pf_write4(ptr [[LOCAL:%.*]], ptr
// CHECK-NEXT: store i32 1, ptr [[LOCAL]]
// CHECK: call void @share(ptr noundef [[LOCAL]])
// CHECK: call void @__pf_read4(ptr [[LOCAL]], ptr
// CHECK-NEXT: load i32, ptr [[LOCAL]]
int escapes(void) {
  int local = 1;
  share(&local);
  return local;
}

// Through another local.
// CHECK-LABEL: @stored(
// CHECK: call void @__pf_write4(
int stored(void) {
  int a = 1;
  int *volatile p = &a;
  return *p;
}
