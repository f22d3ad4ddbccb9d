// Two branches that access the same memory at different lines check it each for itself: a report never names a line
// that was not executed.
// RUN: %clang-ir %bigfoot -g -O1 -mllvm -simplifycfg-sink-common=0 -mllvm -enable-gvn-sink=0 %s | FileCheck %s

// CHECK-DAG: [[BEFORE:@pf_site[.0-9]*]] = {{.*}} i32 [[#FIRST:]], i16 6, i8 4, i8 1, i32 0 }
// CHECK-DAG: [[THEN:@pf_site[.0-9]*]] = {{.*}} i32 [[#FIRST + 3]], i16 8, i8 4, i8 1, i32 0 }
// CHECK-DAG: [[ELSE:@pf_site[.0-9]*]] = {{.*}} i32 [[#FIRST + 6]], i16 8, i8 4, i8 1, i32 0 }
// CHECK-LABEL: @branches(
// CHECK: call void @__pf_write4(ptr {{.*}}%x, ptr {{.*}}[[BEFORE]])
// CHECK: fence
// CHECK-DAG: call void @__pf_write4(ptr {{.*}}%x, ptr {{.*}}[[THEN]])
// CHECK-DAG: call void @__pf_write4(ptr {{.*}}%x, ptr {{.*}}[[ELSE]])
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
