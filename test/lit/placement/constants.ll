; What nobody writes cannot race.
; RUN: %instrument %s | FileCheck %s

@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@variable = global i32 0
@per_thread = thread_local global i32 0

; CHECK-LABEL: @read_table(
; CHECK-NOT: @__pf_
; CHECK: ret i32
define i32 @read_table(i64 %i) sanitize_thread {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  ret i32 %v
}

; "Invariant" says that a value does not change while this code looks, not that nobody ever wrote it.
; CHECK-LABEL: @invariant(
; CHECK: call void @__pf_read4(ptr %p,
define i32 @invariant(ptr %p) sanitize_thread {
  %v = load i32, ptr %p, !invariant.load !0
  ret i32 %v
}

; Other threads can have the address of a thread-local variable.
; CHECK-LABEL: @variables(
; CHECK: call void @__pf_read4(ptr @variable,
; CHECK: call void @__pf_write4(ptr [[LOCAL:%.*]], ptr
; CHECK-NEXT: store i32 %v, ptr [[LOCAL]]
define void @variables() sanitize_thread {
  %v = load i32, ptr @variable
  %p = call ptr @llvm.threadlocal.address.p0(ptr @per_thread)
  store i32 %v, ptr %p
  ret void
}

!0 = !{}
