; A function that calls nothing but the runtime, and that only where inlined tests fail, keeps its frame around each of
; these calls: while its tests succeed, there is none.
; RUN: %instrument -photofinish-inline-checks %s | FileCheck %s

declare double @sqrt(double) nounwind willreturn nofree memory(write)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @callee()

; CHECK-LABEL: @leaf(
; CHECK-NOT: i64 8
; CHECK: br i1 {{.*}}, label %[[CALL:.*]], label %[[DONE:.*]], !prof
; CHECK: [[CALL]]:
; CHECK-NEXT: [[THREAD:%.*]] = call ptr @llvm.threadlocal.address.p0(ptr @__pf_thread)
; CHECK-NEXT: [[TOP:%.*]] = getelementptr inbounds i8, ptr [[THREAD]], i64 8
; CHECK-NEXT: [[SAVED:%.*]] = load ptr, ptr [[TOP]]
; CHECK-NEXT: [[ABOVE:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 16
; CHECK: store volatile ptr [[ABOVE]], ptr
; CHECK-NEXT: [[RETURN:%.*]] = call ptr @llvm.returnaddress(i32 0)
; CHECK-NEXT: [[NUMBER:%.*]] = ptrtoint ptr [[RETURN]] to i64
; CHECK: store volatile i64 [[NUMBER]], ptr
; CHECK: store volatile i32 0, ptr
; CHECK-NEXT: call preserve_mostcc void @__pf_first_read8(ptr %p,
; CHECK: store volatile ptr [[SAVED]], ptr
; CHECK-NEXT: br label %[[DONE]]
; CHECK: [[DONE]]:
; CHECK-NEXT: load i64, ptr %p
; CHECK-NEXT: ret i64
define i64 @leaf(ptr %p) sanitize_thread {
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; What computes a number from numbers shows up in no report, and may become an instruction.
; CHECK-LABEL: @computes(
; CHECK-NOT: store volatile
; CHECK: !prof
; CHECK: call double @sqrt(double %v){{$}}
; CHECK-NEXT: ret double
define double @computes(ptr %p) sanitize_thread {
  %v = load double, ptr %p, align 8
  %root = call double @sqrt(double %v)
  ret double %root
}

; CHECK-LABEL: @only_computes(
; CHECK-NOT: @__pf_
; CHECK: ret double
define double @only_computes(double %v) sanitize_thread {
  %root = call double @sqrt(double %v)
  ret double %root
}

; In all others a frame is pushed first.

; Above a callee, reports show it.
; CHECK-LABEL: @calls(
; CHECK-NOT: !prof
; CHECK: store volatile
define i64 @calls(ptr %p) sanitize_thread {
  %v = load i64, ptr %p, align 8
  call void @callee()
  ret i64 %v
}

; CHECK-LABEL: @untested(
; CHECK-NOT: !prof
; CHECK: store volatile
; CHECK: call void @__pf_read4(
define i64 @untested(ptr %p) sanitize_thread {
  %v = load i64, ptr %p, align 8
  %w = load i32, ptr %p, align 2
  ret i64 %v
}

; What stays a copy of locals may become a call of a function that is intercepted.
; CHECK-LABEL: @copies(
; CHECK-NOT: !prof
; CHECK: store volatile
define i64 @copies(ptr %p) sanitize_thread {
  %from = alloca [4096 x i8]
  %to = alloca [4096 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4096, i1 false)
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; In a loop the frame keeps the context that the runtime made of it.
; CHECK-LABEL: @loops(
; CHECK-NOT: !prof
; CHECK: store volatile
define i64 @loops(ptr %p) sanitize_thread {
  br label %loop
loop:
  %v = load volatile i64, ptr %p, align 8
  %more = icmp ne i64 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret i64 %v
}

; And where there are many.
; CHECK-LABEL: @many(
; CHECK-NOT: !prof
; CHECK: store volatile
define void @many(ptr %p) sanitize_thread {
  store volatile i64 1, ptr %p, align 8
  store volatile i64 2, ptr %p, align 8
  store volatile i64 3, ptr %p, align 8
  store volatile i64 4, ptr %p, align 8
  store volatile i64 5, ptr %p, align 8
  store volatile i64 6, ptr %p, align 8
  store volatile i64 7, ptr %p, align 8
  store volatile i64 8, ptr %p, align 8
  store volatile i64 9, ptr %p, align 8
  store volatile i64 10, ptr %p, align 8
  store volatile i64 11, ptr %p, align 8
  store volatile i64 12, ptr %p, align 8
  store volatile i64 13, ptr %p, align 8
  store volatile i64 14, ptr %p, align 8
  store volatile i64 15, ptr %p, align 8
  store volatile i64 16, ptr %p, align 8
  store volatile i64 17, ptr %p, align 8
  ret void
}
