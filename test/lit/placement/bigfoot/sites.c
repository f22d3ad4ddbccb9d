// Two branches that access the same memory at different lines check it each for itself: a report never names a line
// that was not executed.
// RUN: %clang-ir %plugin-options -mllvm -photofinish-placement=bigfoot -g -O1 -mllvm -simplifycfg-sink-common=0 -mllvm -enable-gvn-sink=0 %s | FileCheck %s

// CHECK-LABEL: @branches(
// CHECK: call void @__pf_write4(ptr {{.*}}%x, ptr {{.*}}[[FIRST:@pf_site[.0-9]*]])
// CHECK: call void @__pf_write4(ptr {{.*}}%x, ptr {{.*}}[[SECOND:@pf_site[.0-9]*]])
// CHECK: ret void
int Other;
void branches(int *x, int c) {
  *x = 0;
  __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (c) {
    *x = 1;
    Other = 1;
  } else {
    *x = 2;
  }
}
