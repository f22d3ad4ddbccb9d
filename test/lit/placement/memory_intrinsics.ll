; Small copies of known size are checked and stay; others become calls that check and copy.
; RUN: %instrument %s | FileCheck %s

; CHECK-LABEL: @small(
; CHECK: call void @__pf_read8(ptr %q, ptr @[[READ:pf_site[.0-9]*]])
; CHECK-NEXT: call void @__pf_write8(ptr %p, ptr @[[WRITE:pf_site[.0-9]*]])
; CHECK-NEXT: call void @llvm.memcpy
; CHECK: call void @__pf_read_range(ptr %q, i64 64,
; CHECK-NEXT: call void @__pf_write_range(ptr %p, i64 64,
; CHECK-NEXT: call void @llvm.memmove
; CHECK: call void @__pf_write_range(ptr %p, i64 24,
; CHECK-NEXT: call void @llvm.memset
define void @small(ptr %p, ptr %q) sanitize_thread {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 24, i1 false)
  ret void
}

; CHECK-LABEL: @large(
; CHECK-NOT: @llvm.mem
; CHECK: call ptr @__pf_memcpy(ptr %p, ptr %q, i64 65, ptr @pf_site{{[.0-9]*}}, ptr @pf_site{{[.0-9]*}})
; CHECK-NOT: @llvm.mem
; CHECK: call ptr @__pf_memmove(ptr %p, ptr %q, i64 %n,
; CHECK-NOT: @llvm.mem
; CHECK: [[BYTE:%.*]] = zext i8 %byte to i32
; CHECK: [[WIDE:%.*]] = zext i32 %m to i64
; CHECK: call ptr @__pf_memset(ptr %p, i32 [[BYTE]], i64 [[WIDE]], ptr
; CHECK-NOT: @llvm.mem
; CHECK: ret void
define void @large(ptr %p, ptr %q, i64 %n, i8 %byte, i32 %m) sanitize_thread {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 65, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memset.p0.i32(ptr %p, i8 %byte, i32 %m, i1 false)
  ret void
}

; What must stay inline, or is volatile, stays.
; CHECK-LABEL: @stays(
; CHECK: call void @__pf_read_range(ptr %q, i64 100,
; CHECK-NEXT: call void @__pf_write_range(ptr %p, i64 100,
; CHECK-NEXT: call void @llvm.memcpy.inline
; CHECK: call void @__pf_write_range(ptr %p, i64 %n,
; CHECK-NEXT: call void @llvm.memset.{{.*}}(ptr %p, i8 0, i64 %n, i1 true)
; CHECK: call void @__pf_read_range(ptr %q, i64 %n,
; CHECK-NEXT: call void @__pf_write_range(ptr %p, i64 %n,
; CHECK-NEXT: call void @llvm.memcpy.element.unordered.atomic
define void @stays(ptr %p, ptr %q, i64 %n) sanitize_thread {
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 100, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 true)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 %n, i32 4)
  ret void
}

@constant = constant [100 x i8] zeroinitializer

; A side that cannot race is not checked; nor is nothing.
; CHECK-LABEL: @one_side(
; CHECK-NOT: @__pf_read
; CHECK: call void @__pf_write_range(ptr %p, i64 100,
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NOT: @__pf_write
; CHECK: call void @__pf_read_range(ptr %p, i64 100,
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: call void @llvm.memset.{{.*}}(ptr %p, i8 0, i64 0
define i8 @one_side(ptr %p) sanitize_thread {
  %local = alloca [100 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @constant, i64 100, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %p, i64 100, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 0, i1 false)
  %v = load i8, ptr %local
  ret i8 %v
}

; Calls by name are the runtime's own business.
; CHECK-LABEL: @by_name(
; CHECK-NOT: @__pf_{{read|write|mem}}
; CHECK: call ptr @memcpy(ptr %p, ptr %q, i64 %n)
; CHECK-NOT: @__pf_{{read|write|mem}}
; CHECK: ret void
declare ptr @memcpy(ptr, ptr, i64)
define void @by_name(ptr %p, ptr %q, i64 %n) sanitize_thread {
  %1 = call ptr @memcpy(ptr %p, ptr %q, i64 %n)
  ret void
}
