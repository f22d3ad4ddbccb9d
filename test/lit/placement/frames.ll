; A function with checks or calls keeps its frame on the thread's stack of frames (abi.h): it takes the first
; free frame, writes its return address, and gives it back before each return.
; RUN: %instrument %s | FileCheck %s

; CHECK: @__pf_thread = external thread_local(initialexec) global

declare void @callee()
declare double @llvm.sqrt.f64(double)
declare double @pure(double) memory(none)

; CHECK-LABEL: @frame(
; CHECK-NEXT: %local = alloca
; CHECK: [[THREAD:%.*]] = call ptr @llvm.threadlocal.address.p0(ptr @__pf_thread)
; CHECK: [[TOP:%.*]] = getelementptr inbounds i8, ptr [[THREAD]], i64 8
; CHECK: [[SAVED:%.*]] = load ptr, ptr [[TOP]]
; CHECK: [[ABOVE:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 16
; CHECK: store volatile ptr [[ABOVE]], ptr
; CHECK: [[RETURN:%.*]] = call ptr @llvm.returnaddress(i32 0)
; CHECK: [[NUMBER:%.*]] = ptrtoint ptr [[RETURN]] to i64
; CHECK: [[FIELD:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 0
; CHECK: store volatile i64 [[NUMBER]], ptr [[FIELD]], align 8
; CHECK: [[CONTEXT:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 8
; CHECK: store volatile i32 0, ptr [[CONTEXT]], align 4
; CHECK: br i1 %c
; CHECK: store volatile ptr [[SAVED]], ptr
; CHECK-NEXT: ret i32 1
; CHECK: call void @callee()
; CHECK: store volatile ptr [[SAVED]], ptr
; CHECK-NEXT: ret i32 2
define i32 @frame(i1 %c) sanitize_thread {
  %local = alloca i32
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  call void @callee()
  ret i32 2
}

; Nothing in here shows up in a report.
; CHECK-LABEL: @leaf(
; CHECK-NOT: @__pf_
; CHECK: ret double
define double @leaf(double %x) sanitize_thread {
  %y = call double @llvm.sqrt.f64(double %x)
  %z = call double @pure(double %y)
  ret double %z
}

; Nothing may come between a call that must be a tail call and the return.
; CHECK-LABEL: @tail(
; CHECK: [[SAVED:%.*]] = load ptr
; CHECK: store volatile ptr [[SAVED]], ptr
; CHECK-NEXT: musttail call i32 @frame(i1 %c)
; CHECK-NEXT: ret i32
define i32 @tail(i1 %c) sanitize_thread {
  %v = musttail call i32 @frame(i1 %c)
  ret i32 %v
}

; Called inline, the frame's return address would be the caller's; and what was deduced before is no longer so.
; CHECK-LABEL: @attributes(
; CHECK-SAME: [[ATTRIBUTES:#[0-9]+]]
; CHECK: attributes [[ATTRIBUTES]] = { disable_sanitizer_instrumentation noinline nounwind }
define i32 @attributes(ptr %p) alwaysinline nounwind willreturn nosync memory(argmem: read) sanitize_thread {
  %v = load i32, ptr %p
  ret i32 %v
}
