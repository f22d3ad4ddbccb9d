; Of a masked vector access only the active lanes are checked: each under its own bit of the mask.
; RUN: %instrument %s | FileCheck %s

; CHECK-LABEL: @load(
; CHECK: [[BIT0:%.*]] = extractelement <2 x i1> %mask, i64 0
; CHECK-NEXT: br i1 [[BIT0]], label %[[ON0:.*]], label %[[NEXT:.*]]
; CHECK: [[ON0]]:
; CHECK: call void @__pf_read4(ptr
; CHECK-NEXT: br label %[[NEXT]]
; CHECK: [[NEXT]]:
; CHECK: [[BIT1:%.*]] = extractelement <2 x i1> %mask, i64 1
; CHECK-NEXT: br i1 [[BIT1]], label %[[ON1:.*]], label %[[LOAD:.*]]
; CHECK: [[ON1]]:
; CHECK: [[LANE1:%.*]] = getelementptr i8, ptr %p, i64 4
; CHECK: call void @__pf_read4(ptr [[LANE1]],
; CHECK-NEXT: br label %[[LOAD]]
; CHECK: [[LOAD]]:
; CHECK-NEXT: call <2 x i32> @llvm.masked.load
define <2 x i32> @load(ptr %p, <2 x i1> %mask) sanitize_thread {
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %mask, <2 x i32> poison)
  ret <2 x i32> %v
}

; A mask that is known needs no branch.
; CHECK-LABEL: @store(
; CHECK-NOT: br
; CHECK: [[LANE1:%.*]] = getelementptr i8, ptr %p, i64 8
; CHECK-NEXT: call void @__pf_write8(ptr [[LANE1]],
; CHECK-NEXT: [[LANE3:%.*]] = getelementptr i8, ptr %p, i64 24
; CHECK-NEXT: call void @__pf_write8(ptr [[LANE3]],
; CHECK-NEXT: call void @llvm.masked.store
define void @store(ptr %p, <4 x i64> %v) sanitize_thread {
  call void @llvm.masked.store.v4i64.p0(<4 x i64> %v, ptr %p, i32 8, <4 x i1> <i1 0, i1 1, i1 0, i1 1>)
  ret void
}

; Lanes anywhere in memory.
; CHECK-LABEL: @gather(
; CHECK: extractelement <2 x i1> %mask, i64 1
; CHECK: [[LANE1:%.*]] = extractelement <2 x ptr> %ps, i64 1
; CHECK-NEXT: call void @__pf_read8(ptr [[LANE1]],
; CHECK: call <2 x double> @llvm.masked.gather
define <2 x double> @gather(<2 x ptr> %ps, <2 x i1> %mask) sanitize_thread {
  %v = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %ps, i32 8, <2 x i1> %mask, <2 x double> poison)
  ret <2 x double> %v
}

; CHECK-LABEL: @scatter(
; CHECK: [[LANE0:%.*]] = extractelement <2 x ptr> %ps, i64 0
; CHECK-NEXT: call void @__pf_write2(ptr [[LANE0]],
; CHECK-NOT: @__pf_write2
; CHECK: call void @llvm.masked.scatter
define void @scatter(<2 x ptr> %ps, <2 x i16> %v) sanitize_thread {
  call void @llvm.masked.scatter.v2i16.v2p0(<2 x i16> %v, <2 x ptr> %ps, i32 2, <2 x i1> <i1 1, i1 0>)
  ret void
}

; One element for each active lane, without gaps.
; CHECK-LABEL: @packed(
; CHECK: [[WIDE:%.*]] = zext <4 x i1> %mask to <4 x i64>
; CHECK-NEXT: [[COUNT:%.*]] = call i64 @llvm.vector.reduce.add.v4i64(<4 x i64> [[WIDE]])
; CHECK-NEXT: [[BYTES:%.*]] = mul i64 [[COUNT]], 4
; CHECK-NEXT: call void @__pf_read_range(ptr %p, i64 [[BYTES]],
; CHECK-NEXT: call <4 x i32> @llvm.masked.expandload
; CHECK: call void @__pf_write_range(ptr %q, i64
; CHECK-NEXT: call void @llvm.masked.compressstore
define void @packed(ptr %p, ptr %q, <4 x i1> %mask) sanitize_thread {
  %v = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> %mask, <4 x i32> poison)
  call void @llvm.masked.compressstore.v4i32(<4 x i32> %v, ptr %q, <4 x i1> %mask)
  ret void
}

; A loop over as many lanes as there are at run time.
; CHECK-LABEL: @scalable(
; CHECK: [[LANE:%.*]] = phi i64
; CHECK: [[BIT:%.*]] = extractelement <vscale x 4 x i1> %mask, i64 [[LANE]]
; CHECK: br i1 [[BIT]]
; CHECK: call void @__pf_read4(
; CHECK: call <vscale x 4 x i32> @llvm.masked.load
define <vscale x 4 x i32> @scalable(ptr %p, <vscale x 4 x i1> %mask) sanitize_thread {
  %v = call <vscale x 4 x i32> @llvm.masked.load.nxv4i32.p0(ptr %p, i32 4, <vscale x 4 x i1> %mask, <vscale x 4 x i32> poison)
  ret <vscale x 4 x i32> %v
}
