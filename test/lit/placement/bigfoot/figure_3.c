// bigfoot.txt, Figure 3: one check covers the access before the release, that before the acquire, and that behind it.
// RUN: %clang-ir %bigfoot -O1 %s | FileCheck %s
// RUN: %clang-ir %plugin-options -mllvm -photofinish-placement=redcard -O1 %s | FileCheck %s --check-prefix=STAYS

struct B {
  int f;
};

// The atomics stand for the lock: a load that acquires, a store that releases.
// CHECK-LABEL: @figure3(
// CHECK: load atomic
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: store atomic
// CHECK: load i32, ptr %b
// CHECK: call void @__pf_read4(ptr {{.*}}%b,
// CHECK: load atomic
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: store atomic
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: ret i32

// Where checks do not move, the same one is at its access.
// STAYS-LABEL: @figure3(
// STAYS: load atomic
// STAYS-NOT: call void @__pf_{{read|write}}
// STAYS: store atomic
// STAYS: call void @__pf_read4(ptr {{.*}}%b,
// STAYS: load i32, ptr %b
// STAYS: load atomic
// STAYS-NOT: call void @__pf_{{read|write}}
// STAYS: ret i32
int figure3(struct B *b, _Atomic int *lock) {
  int valid = b->f; // so that nothing crashes from here on
  __c11_atomic_load(lock, __ATOMIC_ACQUIRE);
  int x = b->f;
  __c11_atomic_store(lock, 0, __ATOMIC_RELEASE);
  int y = b->f;
  __c11_atomic_load(lock, __ATOMIC_ACQUIRE);
  int z = b->f;
  __c11_atomic_store(lock, 0, __ATOMIC_RELEASE);
  return valid + x + y + z;
}
