; A module is instrumented once, however often the pass meets it.
; RUN: %instrument %s -o %t.once.ll
; RUN: %instrument %t.once.ll -o %t.twice.ll
; RUN: FileCheck %s < %t.twice.ll

; CHECK: [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @__pf_module_ctor, ptr null }]
; CHECK-LABEL: @f(
; CHECK-COUNT-1: call ptr @llvm.returnaddress
; CHECK-NOT: @llvm.returnaddress
; CHECK-COUNT-1: call void @__pf_read4(
; CHECK-NOT: call void @__pf_read4(
; CHECK: }
define i32 @f(ptr %p) sanitize_thread {
  %v = load i32, ptr %p
  ret i32 %v
}
