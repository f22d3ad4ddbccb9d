; An argument passed by value in memory is read by the call; inside the callee it is a local.
; RUN: %instrument %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%big = type { [10 x i64] }
declare void @take(i32, ptr byval(%big))

; CHECK-LABEL: @caller(
; CHECK: call void @__pf_read_range(ptr %p, i64 80,
; CHECK-NEXT: call void @take(i32 1, ptr byval(%big) %p)
define void @caller(ptr %p) sanitize_thread {
  call void @take(i32 1, ptr byval(%big) %p)
  ret void
}

; CHECK-LABEL: @callee(
; CHECK-NOT: @__pf_read
; CHECK: ret i64
define i64 @callee(ptr byval(%big) %copy) sanitize_thread {
  %v = load i64, ptr %copy
  ret i64 %v
}
