; The inlined test, as abi.h describes it: nothing to do if the granule's bytes are covered and its epoch is the
; thread's own. Mask first, epoch after.
; RUN: %instrument -photofinish-inline-checks %s | FileCheck %s

; CHECK-LABEL: @aligned(
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK: [[THREAD:%.*]] = call ptr @llvm.threadlocal.address.p0(ptr @__pf_thread)
; CHECK: [[NOW:%.*]] = load i64, ptr
; CHECK: [[ROOT:%.*]] = load ptr, ptr @__pf_shadow_root
; CHECK: [[ORIGIN:%.*]] = load ptr, ptr @__pf_shadow_origin
; CHECK: [[HIGH:%.*]] = lshr i64 [[ADDRESS]], 12
; CHECK: [[PAGE:%.*]] = and i64 [[HIGH]], 34359738367
; CHECK: [[SLOT:%.*]] = getelementptr i64, ptr [[ROOT]], i64 [[PAGE]]
; CHECK: [[ENTRY:%.*]] = load atomic i64, ptr [[SLOT]] monotonic
; CHECK: [[LOW:%.*]] = and i64 [[ADDRESS]], 4088
; CHECK: [[SHADOW:%.*]] = getelementptr i8, ptr [[ORIGIN]], i64 [[ENTRY]]
; CHECK: [[OFFSET:%.*]] = mul i64 [[LOW]], 4
; CHECK: [[GRANULE:%.*]] = getelementptr i8, ptr [[SHADOW]], i64 [[OFFSET]]
; CHECK: [[MASK:%.*]] = load atomic i64, ptr {{.*}} acquire
; CHECK: [[WRITE:%.*]] = getelementptr inbounds i8, ptr [[GRANULE]], i64 8
; CHECK: [[EPOCH:%.*]] = load atomic i64, ptr [[WRITE]] monotonic
; CHECK: [[SHIFT:%.*]] = and i64 [[ADDRESS]], 7
; CHECK: [[BYTES:%.*]] = shl i64 15, [[SHIFT]]
; CHECK: [[MET:%.*]] = and i64 [[MASK]], [[BYTES]]
; CHECK: [[COVERED:%.*]] = icmp eq i64 [[MET]], [[BYTES]]
; CHECK: [[SAME:%.*]] = icmp eq i64 [[EPOCH]], [[NOW]]
; CHECK: [[AGAIN:%.*]] = and i1 [[COVERED]], [[SAME]]
; CHECK: [[NEW:%.*]] = xor i1 [[AGAIN]], true
; CHECK: br i1 [[NEW]], label %[[CALL:.*]], label %[[STORE:.*]], !prof
; CHECK: [[CALL]]:
; CHECK-NEXT: call void @__pf_write4(ptr %p, ptr
; CHECK-NEXT: br label %[[STORE]]
; CHECK: [[STORE]]:
; CHECK-NEXT: store i32 1, ptr %p
define void @aligned(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 4
  ret void
}

; A whole granule, read.
; CHECK-LABEL: @granule(
; CHECK: load atomic i64, ptr {{.*}} acquire
; CHECK: [[READ:%.*]] = getelementptr inbounds i8, ptr {{.*}}, i64 16
; CHECK: load atomic i64, ptr [[READ]] monotonic
; CHECK: [[MET:%.*]] = and i64 {{.*}}, 255
; CHECK: icmp eq i64 [[MET]], 255
define i64 @granule(ptr %p) sanitize_thread {
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; Not surely in one granule: called, always.
; CHECK-LABEL: @straddling(
; CHECK-NOT: @__pf_shadow_root
; CHECK: ret void
define void @straddling(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 2
  store i128 1, ptr %p, align 16
  ret void
}
