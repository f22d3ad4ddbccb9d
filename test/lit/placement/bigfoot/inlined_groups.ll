; The inlined test of a group, as abi.h describes it: nothing to do if the page of its last byte is what is noted
; where the first one's is, and the bits of all granules and bytes are set.
; RUN: %instrument -photofinish-placement=bigfoot %s | FileCheck %s
; RUN: %instrument -photofinish-placement=bigfoot -photofinish-inline-checks=false %s | FileCheck %s --check-prefix=CALLED
; RUN: %instrument -photofinish-placement=bigfoot -photofinish-inline-limit=4 %s | FileCheck %s --check-prefix=LARGE

; Three granules that are written, of four: a word of the set, from the byte on that has the first one's bit.
; CHECK-LABEL: @whole(
; CHECK: store double 3.0
; CHECK: [[GROUP:%.*]] = getelementptr i8, ptr %p, i64 8
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr [[GROUP]] to i64
; CHECK: [[NOTED:%.*]] = load ptr, ptr
; CHECK: [[PAGE:%.*]] = lshr i64 [[ADDRESS]], 12
; CHECK: [[ENTRY:%.*]] = and i64 [[PAGE]], 4095
; CHECK: [[OF_PAGE:%.*]] = mul i64 [[ENTRY]], 192
; CHECK: [[ITS:%.*]] = getelementptr inbounds i8, ptr [[NOTED]], i64 [[OF_PAGE]]
; CHECK: [[NUMBER:%.*]] = getelementptr inbounds i8, ptr [[ITS]], i64 0
; CHECK: [[TAG:%.*]] = load i64, ptr [[NUMBER]]
; CHECK: [[LAST:%.*]] = add i64 [[ADDRESS]], 31
; CHECK: [[LAST_PAGE:%.*]] = lshr i64 [[LAST]], 12
; CHECK: [[SAME:%.*]] = icmp eq i64 [[TAG]], [[LAST_PAGE]]
; CHECK: [[GRANULES:%.*]] = lshr i64 [[ADDRESS]], 3
; CHECK: [[GRANULE:%.*]] = and i64 [[GRANULES]], 511
; CHECK: [[SET:%.*]] = getelementptr inbounds i8, ptr [[ITS]], i64 128
; CHECK: [[OF_EIGHT:%.*]] = lshr i64 [[GRANULE]], 3
; CHECK: [[BYTE:%.*]] = getelementptr i8, ptr [[SET]], i64 [[OF_EIGHT]]
; CHECK: [[BIT:%.*]] = and i64 [[GRANULE]], 7
; CHECK: [[BITS:%.*]] = load i16, ptr [[BYTE]], align 1
; CHECK: [[WIDE:%.*]] = zext i16 [[BITS]] to i32
; CHECK: [[SHIFT:%.*]] = trunc i64 [[BIT]] to i32
; CHECK: [[FROM_FIRST:%.*]] = lshr i32 [[WIDE]], [[SHIFT]]
; CHECK: [[MET:%.*]] = and i32 [[FROM_FIRST]], 11
; CHECK: [[ALL:%.*]] = icmp eq i32 [[MET]], 11
; CHECK: [[AGAIN:%.*]] = and i1 [[SAME]], [[ALL]]
; CHECK: [[NEW:%.*]] = xor i1 [[AGAIN]], true
; CHECK: br i1 [[NEW]], label %[[CALL:.*]], label %[[DONE:.*]], !prof
; CHECK: [[CALL]]:
; CHECK: call preserve_mostcc void @__pf_first_group(ptr [[GROUP]], ptr @pf_group)
; CHECK: br label %[[DONE]]
; CALLED-LABEL: @whole(
; CALLED-NOT: icmp
; CALLED: call void @__pf_check_group(
; Few accesses have their test in a large module, too.
; LARGE-LABEL: @whole(
; LARGE: call preserve_mostcc void @__pf_first_group(
define void @whole(ptr %p) sanitize_thread {
  %a = getelementptr i8, ptr %p, i64 8
  %b = getelementptr i8, ptr %p, i64 16
  %c = getelementptr i8, ptr %p, i64 32
  store double 1.0, ptr %a, align 8
  store double 2.0, ptr %b, align 8
  store double 3.0, ptr %c, align 8
  ret void
}

; Twelve bytes, which may begin in the middle of a granule: their bits are in two bytes.
; CHECK-LABEL: @parts(
; CHECK: store i32 3
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr {{.*}} to i64
; CHECK: add i64 [[ADDRESS]], 11
; CHECK: [[GRANULES:%.*]] = lshr i64 [[ADDRESS]], 3
; CHECK: [[GRANULE:%.*]] = and i64 [[GRANULES]], 511
; CHECK: [[FIRST:%.*]] = and i64 [[ADDRESS]], 7
; CHECK: [[WRITTEN:%.*]] = getelementptr inbounds i8, ptr [[ITS:%.*]], i64 512
; CHECK: [[WHERE:%.*]] = getelementptr inbounds i8, ptr [[ITS]], i64 8
; CHECK: [[DISTANCE:%.*]] = load i64, ptr [[WHERE]]
; CHECK: [[BYTES_OF_PAGE:%.*]] = getelementptr i8, ptr [[WRITTEN]], i64 [[DISTANCE]]
; CHECK: [[BYTE:%.*]] = getelementptr i8, ptr [[BYTES_OF_PAGE]], i64 [[GRANULE]]
; CHECK: [[BITS:%.*]] = load i16, ptr [[BYTE]], align 1
; CHECK: [[WIDE:%.*]] = zext i16 [[BITS]] to i32
; CHECK: [[SHIFT:%.*]] = trunc i64 [[FIRST]] to i32
; CHECK: [[FROM_FIRST:%.*]] = lshr i32 [[WIDE]], [[SHIFT]]
; CHECK: [[MET:%.*]] = and i32 [[FROM_FIRST]], 4095
; CHECK: icmp eq i32 [[MET]], 4095
; CHECK: call preserve_mostcc void @__pf_first_group(
define void @parts(ptr %p) sanitize_thread {
  %b = getelementptr i8, ptr %p, i64 4
  %c = getelementptr i8, ptr %p, i64 8
  store i32 1, ptr %p, align 4
  store i32 2, ptr %b, align 4
  store i32 3, ptr %c, align 4
  ret void
}

; A granule that is written, and half of the next but one, read: where that is follows from the granule's address.
; CHECK-LABEL: @mixed(
; CHECK: store i64 1
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr {{.*}} to i64
; CHECK: add i64 [[ADDRESS]], 23
; CHECK: load i16
; CHECK: and i32 {{.*}}, 1
; CHECK: [[READ:%.*]] = getelementptr i8, ptr {{.*}}, i64 2
; CHECK: [[BITS:%.*]] = load i8, ptr [[READ]]
; CHECK-NOT: lshr
; CHECK: and i32 {{.*}}, 240
; CHECK: call preserve_mostcc void @__pf_first_group(
define i32 @mixed(ptr %p) sanitize_thread {
  %b = getelementptr i8, ptr %p, i64 20
  %v = load i32, ptr %b, align 4
  store i64 1, ptr %p, align 8
  ret i32 %v
}

; Bits in five bytes from the third on need a word of eight. It begins with the first, as there may be no more than eight.
; CHECK-LABEL: @reaching_far(
; CHECK: add i64 {{.*}}, 51
; CHECK: [[GRANULE:%.*]] = and i64 {{.*}}, 511
; CHECK: [[BYTE:%.*]] = getelementptr i8, ptr {{.*}}, i64 [[GRANULE]]
; CHECK-NEXT: [[BITS:%.*]] = load i64, ptr [[BYTE]], align 1
; CHECK-NEXT: and i64 [[BITS]], 4222189090897920
; CHECK: call preserve_mostcc void @__pf_first_group(
define void @reaching_far(ptr %p) sanitize_thread {
  %a = getelementptr i8, ptr %p, i64 20
  %b = getelementptr i8, ptr %p, i64 32
  %c = getelementptr i8, ptr %p, i64 48
  %v = load i64, ptr %p, align 8
  store i32 1, ptr %a, align 4
  store i32 2, ptr %b, align 4
  store i32 3, ptr %c, align 4
  ret void
}

; Where whole granules may lie across two of them, nothing is looked for inline.
; CHECK-LABEL: @packed(
; CHECK-NOT: !prof
; CHECK: call void @__pf_check_group(
define void @packed(ptr %p) sanitize_thread {
  %b = getelementptr i8, ptr %p, i64 8
  store i64 1, ptr %p, align 1
  store i64 2, ptr %b, align 1
  ret void
}

; LARGE-LABEL: @many(
; LARGE-NOT: !prof
; LARGE: call void @__pf_check_group(
define void @many(ptr align 8 %p) sanitize_thread {
  %b = getelementptr i8, ptr %p, i64 8
  %c = getelementptr i8, ptr %p, i64 16
  %d = getelementptr i8, ptr %p, i64 24
  %e = getelementptr i8, ptr %p, i64 32
  store i64 1, ptr %p, align 8
  store i64 2, ptr %b, align 8
  store i64 3, ptr %c, align 8
  store i64 4, ptr %d, align 8
  store i64 5, ptr %e, align 8
  ret void
}
