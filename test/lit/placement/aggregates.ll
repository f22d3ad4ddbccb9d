; An access to a struct touches its fields and leaves its padding alone: another thread may use what lies
; between.
; RUN: %instrument %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: @padded(
; CHECK: call void @__pf_write1(ptr %p,
; CHECK-NEXT: [[SECOND:%.*]] = getelementptr inbounds i8, ptr %p, i64 8
; CHECK-NEXT: call void @__pf_write8(ptr [[SECOND]],
; CHECK-NEXT: store { i8, i64 }
define void @padded(ptr %p) sanitize_thread {
  store { i8, i64 } zeroinitializer, ptr %p
  ret void
}

; CHECK-LABEL: @dense(
; CHECK: call void @__pf_read16(ptr %p,
; CHECK-NEXT: load { i64, [2 x i32] }
; CHECK: call void @__pf_read_range(ptr %p, i64 400,
; CHECK-NEXT: load [100 x i32]
define void @dense(ptr %p) sanitize_thread {
  %a = load { i64, [2 x i32] }, ptr %p
  %b = load [100 x i32], ptr %p
  ret void
}

; CHECK-LABEL: @empty(
; CHECK-NOT: @__pf_
; CHECK: ret void
define void @empty(ptr %p) sanitize_thread {
  %a = load {}, ptr %p
  ret void
}
