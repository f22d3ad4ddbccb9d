// What may crash comes behind the checks of what was accessed before.
// RUN: %clangxx-ir %bigfoot -O1 %s | FileCheck %s

int X;

// A pointer that nothing is known of.
// CHECK-LABEL: @_Z4wildPi(
// CHECK: store i32 1, ptr @X
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}@X,
// CHECK-NEXT: store i32 2, ptr %p
void wild(int *p) {
  X = 1;
  *p = 2;
}

// One that has worked before.
// CHECK-LABEL: @_Z4tamePi(
// CHECK: load i32, ptr %p
// CHECK: store i32 {{.*}}, ptr @X
// CHECK: store i32 2, ptr
// CHECK-DAG: call void @__pf_write4(ptr {{.*}}@X,
// CHECK-DAG: call void @__pf_check_group(ptr {{.*}}%p,
// CHECK: ret void
void tame(int *p) {
  X = *p;
  p[1] = 2;
}

// A pointer is checked when it is read, before anything is done with it.
// CHECK-LABEL: @_Z7pointerRPi(
// CHECK: call void @__pf_read8(ptr {{.*}}%p,
// CHECK-NEXT: load ptr, ptr %p
int pointer(int *&p) { return *p; }

// CHECK-LABEL: @_Z7dividesi(
// CHECK: store i32 1, ptr @X
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}@X,
// CHECK: sdiv
int divides(int y) {
  X = 1;
  return 5 / y;
}
