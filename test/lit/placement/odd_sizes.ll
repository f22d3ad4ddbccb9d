; Sizes without an entry point of their own: exactly the bytes that the access touches.
; RUN: %instrument %s | FileCheck %s

; CHECK-LABEL: @odd(
; CHECK: call void @__pf_read1(ptr %p,
; CHECK-NEXT: load i1,
; CHECK: call void @__pf_read_range(ptr %p, i64 3,
; CHECK-NEXT: load i24,
; CHECK: call void @__pf_read_range(ptr %p, i64 9,
; CHECK-NEXT: load i65,
; CHECK: call void @__pf_read_range(ptr %p, i64 10,
; CHECK-NEXT: load x86_fp80,
; CHECK: call void @__pf_read_range(ptr %p, i64 12,
; CHECK-NEXT: load <3 x float>,
; CHECK: call void @__pf_write_range(ptr %p, i64 32,
; CHECK-NEXT: store <8 x i32>
; CHECK: call void @__pf_write_range(ptr %p, i64 64,
; CHECK-NEXT: store <8 x i64>
; CHECK: call void @__pf_write1(ptr %p,
; CHECK-NEXT: store <8 x i1>
; CHECK: call void @__pf_write2(ptr %p,
; CHECK-NEXT: store <9 x i1>
define void @odd(ptr %p) sanitize_thread {
  %a = load i1, ptr %p
  %b = load i24, ptr %p
  %c = load i65, ptr %p
  %d = load x86_fp80, ptr %p
  %e = load <3 x float>, ptr %p
  store <8 x i32> zeroinitializer, ptr %p
  store <8 x i64> zeroinitializer, ptr %p
  store <8 x i1> zeroinitializer, ptr %p
  store <9 x i1> zeroinitializer, ptr %p
  ret void
}

; As many bytes as the machine has.
; CHECK-LABEL: @scalable(
; CHECK: [[SCALE:%.*]] = call i64 @llvm.vscale.i64()
; CHECK: [[BYTES:%.*]] = {{mul|shl}} i64 [[SCALE]], {{16|4}}
; CHECK: call void @__pf_read_range(ptr %p, i64 [[BYTES]],
; CHECK-NEXT: load <vscale x 4 x i32>
define void @scalable(ptr %p) sanitize_thread {
  %a = load <vscale x 4 x i32>, ptr %p
  ret void
}
