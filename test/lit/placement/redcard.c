// Checks that others cover are left out; none moves.
// RUN: %clang-ir %plugin-options -mllvm -photofinish-placement=redcard -O1 %s | FileCheck %s

// CHECK-LABEL: @twice(
// CHECK: call void @__pf_read4(ptr {{.*}}%p,
// CHECK-NOT: call void @__pf_read
// CHECK: ret i32
int twice(int *p, int *q) {
  int x = *p;
  *q = 1; // may be the same
  return x + *p;
}

// A read that is followed by a write is covered by its check; a write by that of a read never.
// CHECK-LABEL: @increment(
// CHECK-NOT: call void @__pf_read
// CHECK: call void @__pf_write4(
// CHECK-NOT: call void @__pf_read
// CHECK: ret void
void increment(int *p) { ++*p; }

// CHECK-LABEL: @reads_then_writes(
// CHECK: call void @__pf_read4(ptr {{.*}}%p,
// CHECK: call void @__pf_write4(ptr {{.*}}%p,
void reads_then_writes(int *p, _Atomic int *lock) {
  int x = *p;
  __c11_atomic_load(lock, __ATOMIC_ACQUIRE);
  *p = x;
}

// A part of what has been checked.
// CHECK-LABEL: @part(
// CHECK: call void @__pf_write8(
// CHECK-NOT: call void @__pf_read
// CHECK: ret i32
int part(long *p, int *q) {
  *p = 1;
  *q = 2;
  return ((char *)p)[3];
}

// Not behind a release.
// CHECK-LABEL: @released(
// CHECK: call void @__pf_write4(ptr {{.*}}%p,
// CHECK: call void @__pf_write4(ptr {{.*}}%p,
// CHECK: ret void
void released(int *p, _Atomic int *lock) {
  *p = 1;
  __c11_atomic_load(lock, __ATOMIC_ACQUIRE);
  __c11_atomic_store(lock, 1, __ATOMIC_RELEASE);
  *p = 2;
}

// Behind an acquire it is.
// CHECK-LABEL: @acquired(
// CHECK-COUNT-1: call void @__pf_write4(ptr {{.*}}%p,
// CHECK-NOT: call void @__pf_write4
// CHECK: ret void
void acquired(int *p, _Atomic int *lock) {
  *p = 1;
  __c11_atomic_load(lock, __ATOMIC_ACQUIRE);
  *p = 2;
}
