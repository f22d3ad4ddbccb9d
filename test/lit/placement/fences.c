// A fence between threads is announced just before it; one against signal handlers is no business of other
// threads.
// RUN: %clang-ir -O0 %s | FileCheck %s
// RUN: %clang-ir -O2 %s | FileCheck %s
#include <stdatomic.h>

void step(void); // keeps the optimizer from making one fence of two

// CHECK-LABEL: @fences(
// CHECK: call void @__pf_fence(i32 2, ptr
// CHECK-NEXT: fence acquire
// CHECK: call void @__pf_fence(i32 3, ptr
// CHECK-NEXT: fence release
// CHECK: call void @__pf_fence(i32 4, ptr
// CHECK-NEXT: fence acq_rel
// CHECK: call void @__pf_fence(i32 5, ptr
// CHECK-NEXT: fence seq_cst
void fences(void) {
  atomic_thread_fence(memory_order_acquire);
  step();
  atomic_thread_fence(memory_order_release);
  step();
  atomic_thread_fence(memory_order_acq_rel);
  step();
  atomic_thread_fence(memory_order_seq_cst);
}

// CHECK-LABEL: @signal_fence(
// CHECK-NOT: @__pf_fence
// CHECK: fence syncscope("singlethread") seq_cst
// CHECK-NOT: @__pf_fence
// CHECK: ret void
void signal_fence(void) { atomic_signal_fence(memory_order_seq_cst); }
