// What no check is deferred past.
// RUN: %clangxx-ir %bigfoot -O1 %s | FileCheck %s

#include <cstdlib>

void unknown();

// CHECK-LABEL: @_Z4callRi(
// CHECK: store i32 1, ptr %x
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}%x,
// CHECK-NEXT: call void @_Z7unknownv
void call(int &x) {
  x = 1;
  unknown();
}

// Behind it, the path is accessed anew.
// CHECK-LABEL: @_Z5againRi(
// CHECK: call void @__pf_write4(
// CHECK: call void @_Z7unknownv
// CHECK: call void @__pf_write4(
// CHECK: ret void
void again(int &x) {
  x = 1;
  unknown();
  x = 2;
}

// CHECK-LABEL: @_Z5freesPi(
// CHECK: store i32 1, ptr %x
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}%x,
// CHECK-NEXT: call void @free(
void frees(int *x) {
  *x = 1;
  std::free(x);
}

// CHECK-LABEL: @_Z6throwsRi(
// CHECK: store i32 1, ptr %x
// CHECK: call void @__pf_write4(ptr {{.*}}%x,
// CHECK: call void @__cxa_throw(
void throws(int &x) {
  x = 1;
  throw 1;
}

// CHECK-LABEL: @_Z5exitsRi(
// CHECK: store i32 1, ptr %x
// CHECK: call void @__pf_write4(ptr {{.*}}%x,
// CHECK: call void @exit(
void exits(int &x) {
  x = 1;
  std::exit(0);
}

// Inline assembly may be anything, if it says that memory changes.
// CHECK-LABEL: @_Z8assemblyRi(
// CHECK: store i32 1, ptr %x
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}%x,
// CHECK-NEXT: call void asm sideeffect "", "{{.*}}~{memory}
void assembly(int &x) {
  x = 1;
  asm volatile("" ::: "memory");
}

// Volatile does not synchronize, but is checked where it is.
// CHECK-LABEL: @_Z9volatilesRiRVi(
// CHECK: store i32 1, ptr %x
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}%v,
// CHECK-NEXT: store volatile
// CHECK: call void @__pf_write4(ptr {{.*}}%x,
// CHECK: ret void
void volatiles(int &x, volatile int &v) {
  x = 1;
  v = 1;
}

// A function of the module that only computes is none; the deferred check covers what comes behind it, too.
__attribute__((noinline)) static int computes(int y) { return y * y; }
// CHECK-LABEL: @_Z8harmlessRi(
// CHECK: load i32, ptr %x
// CHECK: call {{.*}}i32 @_ZL8computesi(
// CHECK: store i32 {{.*}}, ptr %x
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}%x,
// CHECK: ret void
void harmless(int &x) { x = computes(x); }

// One that synchronizes is.
_Atomic int Flag;
__attribute__((noinline)) static void publishes() { __c11_atomic_store(&Flag, 1, __ATOMIC_RELEASE); }
// CHECK-LABEL: @_Z8releasesRi(
// CHECK: store i32 1, ptr %x
// CHECK-NEXT: call void @__pf_write4(ptr {{.*}}%x,
// CHECK: call {{.*}}void @_ZL9publishesv(
void releases(int &x) {
  x = 1;
  publishes();
}
