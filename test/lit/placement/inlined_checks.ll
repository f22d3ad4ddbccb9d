; The inlined test, as abi.h describes it: nothing to do if the page is among those that the thread has touched in
; this epoch, and the bits of the bytes are set.
; RUN: %instrument -photofinish-inline-checks %s | FileCheck %s

; CHECK-LABEL: @aligned(
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK: [[THREAD:%.*]] = call ptr @llvm.threadlocal.address.p0(ptr @__pf_thread)
; CHECK: [[FIELD:%.*]] = getelementptr inbounds i8, ptr [[THREAD]], i64 16
; CHECK: [[NOTED:%.*]] = load ptr, ptr [[FIELD]]
; CHECK: [[PAGE:%.*]] = lshr i64 [[ADDRESS]], 12
; CHECK: [[ENTRY:%.*]] = and i64 [[PAGE]], 4095
; 192 bytes for each of 4096 pages: the page's number, how far away the bits of bytes are, and sets.
; CHECK: [[OF_PAGE:%.*]] = mul i64 [[ENTRY]], 192
; CHECK: [[ITS:%.*]] = getelementptr inbounds i8, ptr [[NOTED]], i64 [[OF_PAGE]]
; CHECK: [[NUMBER:%.*]] = getelementptr inbounds i8, ptr [[ITS]], i64 0
; CHECK: [[TAG:%.*]] = load i64, ptr [[NUMBER]]
; CHECK: [[ALL_BITS:%.*]] = lshr i64 [[ADDRESS]], 0
; CHECK: [[BIT:%.*]] = and i64 [[ALL_BITS]], 4095
; The bits of writes are behind those of reads.
; CHECK: [[WRITTEN:%.*]] = getelementptr inbounds i8, ptr [[ITS]], i64 512
; CHECK: [[WHERE:%.*]] = getelementptr inbounds i8, ptr [[ITS]], i64 8
; CHECK: [[DISTANCE:%.*]] = load i64, ptr [[WHERE]]
; CHECK: [[BYTES_OF_PAGE:%.*]] = getelementptr i8, ptr [[WRITTEN]], i64 [[DISTANCE]]
; CHECK: [[GRANULE:%.*]] = lshr i64 [[BIT]], 3
; CHECK: [[BYTE:%.*]] = getelementptr i8, ptr [[BYTES_OF_PAGE]], i64 [[GRANULE]]
; CHECK: [[BITS:%.*]] = load i8, ptr [[BYTE]]
; CHECK: [[FIRST:%.*]] = and i64 [[BIT]], 7
; CHECK: [[SHIFT:%.*]] = trunc i64 [[FIRST]] to i8
; CHECK: [[BYTES:%.*]] = shl i8 15, [[SHIFT]]
; CHECK: [[MET:%.*]] = and i8 [[BITS]], [[BYTES]]
; CHECK: [[ALL:%.*]] = icmp eq i8 [[MET]], [[BYTES]]
; CHECK: [[SAME:%.*]] = icmp eq i64 [[TAG]], [[PAGE]]
; CHECK: [[AGAIN:%.*]] = and i1 [[SAME]], [[ALL]]
; CHECK: [[NEW:%.*]] = xor i1 [[AGAIN]], true
; CHECK: br i1 [[NEW]], label %[[CALL:.*]], label %[[STORE:.*]], !prof
; Around the call is the function's frame (frames_leaf.ll).
; CHECK: [[CALL]]:
; CHECK: call preserve_mostcc void @__pf_first_write4(ptr %p, ptr
; CHECK: br label %[[STORE]]
; CHECK: [[STORE]]:
; CHECK-NEXT: store i32 1, ptr %p
define void @aligned(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 4
  ret void
}

; A whole granule, read: a bit in the set.
; CHECK-LABEL: @granule(
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK: [[GRANULES:%.*]] = lshr i64 [[ADDRESS]], 3
; CHECK: [[GRANULE:%.*]] = and i64 [[GRANULES]], 511
; CHECK: [[SET:%.*]] = getelementptr inbounds i8, ptr {{.*}}, i64 64
; CHECK: [[OF_EIGHT:%.*]] = lshr i64 [[GRANULE]], 3
; CHECK: [[BYTE:%.*]] = getelementptr i8, ptr [[SET]], i64 [[OF_EIGHT]]
; CHECK: [[BITS:%.*]] = load i8, ptr [[BYTE]]
; CHECK: [[WHICH:%.*]] = shl i8 1,
; CHECK: [[MET:%.*]] = and i8 [[BITS]], [[WHICH]]
; CHECK: icmp eq i8 [[MET]], [[WHICH]]
define i64 @granule(ptr %p) sanitize_thread {
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; Not surely in one granule, or not made of whole ones: called, always.
; CHECK-LABEL: @straddling(
; CHECK-NOT: !prof
; CHECK: ret void
define void @straddling(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 2
  store i128 1, ptr %p, align 4
  call void @llvm.memset.p0.i64(ptr align 8 %p, i8 0, i64 12, i1 false)
  ret void
}

; Up to eight whole granules: as many bits in a word of the set, if all of them are in the page of the first.
; CHECK-LABEL: @granules(
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %p to i64
; CHECK: [[TAG:%.*]] = load i64, ptr
; CHECK: [[LAST:%.*]] = add i64 [[ADDRESS]], 63
; CHECK: [[LAST_PAGE:%.*]] = lshr i64 [[LAST]], 12
; CHECK: icmp eq i64 [[TAG]], [[LAST_PAGE]]
; CHECK: [[SET:%.*]] = getelementptr inbounds i8, ptr {{.*}}, i64 128
; CHECK: [[BYTE:%.*]] = getelementptr i8, ptr [[SET]], i64
; CHECK: load i16, ptr [[BYTE]], align 1
; CHECK: [[MET:%.*]] = and i32 {{.*}}, 255
; CHECK: icmp eq i32 [[MET]], 255
; CHECK: call preserve_mostcc void @__pf_first_write_range(ptr %p, i64 64,
; CHECK: add i64 {{.*}}, 15
; CHECK: load i16
; CHECK: and i32 {{.*}}, 3
; CHECK: call preserve_mostcc void @__pf_first_read_range(ptr %p, i64 16,
; CHECK-NOT: @__pf_first
; CHECK: call void @__pf_write_range(ptr %p, i64 72,
define i128 @granules(ptr %p) sanitize_thread {
  call void @llvm.memset.p0.i64(ptr align 8 %p, i8 0, i64 64, i1 false)
  %v = load i128, ptr %p, align 8
  call void @llvm.memset.inline.p0.i64(ptr align 8 %p, i8 0, i64 72, i1 false)
  ret i128 %v
}
