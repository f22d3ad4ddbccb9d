// After longjmp the frame takes its place again: setjmp has returned twice.
// RUN: %clang-ir -O0 %s | FileCheck %s
// RUN: %clang-ir -O2 %s | FileCheck %s
#include <setjmp.h>

jmp_buf buffer;
void work(void);

// CHECK-LABEL: @jump_back(
// CHECK: [[SAVED:%pf_frame[0-9]*]] = load ptr
// CHECK: [[ABOVE:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 16
// CHECK: [[RESULT:%.*]] = call i32 @_setjmp(
// CHECK-NOT: br
// CHECK: store volatile ptr [[ABOVE]], ptr
// CHECK: icmp {{.*}} [[RESULT]], 0
int jump_back(void) {
  if (setjmp(buffer))
    return 1;
  work();
  return 0;
}
