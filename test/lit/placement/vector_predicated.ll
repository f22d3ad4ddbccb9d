; The llvm.vp intrinsics have an explicit length beside the mask: lanes beyond it are not touched.
; RUN: %instrument %s | FileCheck %s

; CHECK-LABEL: @load(
; CHECK: [[LANE:%.*]] = phi i32 [ 0,
; CHECK: [[BIT:%.*]] = extractelement <4 x i1> %mask, i32 [[LANE]]
; CHECK: br i1 [[BIT]]
; CHECK: [[WIDE:%.*]] = zext i32 [[LANE]] to i64
; CHECK: [[OFFSET:%.*]] = mul i64 [[WIDE]], 4
; CHECK: [[ADDRESS:%.*]] = getelementptr i8, ptr %p, i64 [[OFFSET]]
; CHECK: call void @__pf_read4(ptr [[ADDRESS]],
; CHECK: icmp eq i32 {{.*}}, %length
; CHECK: call <4 x i32> @llvm.vp.load
define <4 x i32> @load(ptr %p, <4 x i1> %mask, i32 %length) sanitize_thread {
  %v = call <4 x i32> @llvm.vp.load.v4i32.p0(ptr %p, <4 x i1> %mask, i32 %length)
  ret <4 x i32> %v
}

; CHECK-LABEL: @strided(
; CHECK: [[LANE:%.*]] = phi i32
; CHECK: [[WIDE:%.*]] = zext i32 [[LANE]] to i64
; CHECK: [[OFFSET:%.*]] = mul i64 [[WIDE]], %stride
; CHECK: [[ADDRESS:%.*]] = getelementptr i8, ptr %p, i64 [[OFFSET]]
; CHECK: call void @__pf_write8(ptr [[ADDRESS]],
; CHECK: call void @llvm.experimental.vp.strided.store
define void @strided(<4 x double> %v, ptr %p, i64 %stride, <4 x i1> %mask, i32 %length) sanitize_thread {
  call void @llvm.experimental.vp.strided.store.v4f64.p0.i64(<4 x double> %v, ptr %p, i64 %stride, <4 x i1> %mask, i32 %length)
  ret void
}

; CHECK-LABEL: @scatter(
; CHECK: [[LANE:%.*]] = phi i32
; CHECK: [[ADDRESS:%.*]] = extractelement <4 x ptr> %ps, i32 [[LANE]]
; CHECK: call void @__pf_write1(ptr [[ADDRESS]],
; CHECK: call void @llvm.vp.scatter
define void @scatter(<4 x i8> %v, <4 x ptr> %ps, <4 x i1> %mask, i32 %length) sanitize_thread {
  call void @llvm.vp.scatter.v4i8.v4p0(<4 x i8> %v, <4 x ptr> %ps, <4 x i1> %mask, i32 %length)
  ret void
}
