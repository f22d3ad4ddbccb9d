; Calls of libatomic are atomic operations like any other. The buffers that they take are plain memory of the
; program, checked before the operation begins.
; RUN: %instrument %s | FileCheck %s

declare void @__atomic_load(i64, ptr, ptr, i32)
declare void @__atomic_store(i64, ptr, ptr, i32)
declare void @__atomic_exchange(i64, ptr, ptr, ptr, i32)
declare zeroext i1 @__atomic_compare_exchange(i64, ptr, ptr, ptr, i32, i32)
declare i128 @__atomic_load_16(ptr, i32)
declare void @__atomic_store_16(ptr, i128, i32)
declare zeroext i1 @__atomic_compare_exchange_16(ptr, ptr, i128, i32, i32)
declare i64 @__atomic_fetch_add_8(ptr, i64, i32)
declare void @__atomic_load_unknown(ptr)

; CHECK-LABEL: @generic(
; CHECK: call void @__pf_write_range(ptr %buffer, i64 12,
; CHECK-NEXT: call void @__pf_atomic_begin(ptr %p, i64 12,
; CHECK-NEXT: call void @__atomic_load(i64 12, ptr %p, ptr %buffer, i32 2)
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 12, i32 0, i32 2,
; CHECK: call void @__pf_read_range(ptr %buffer, i64 %n,
; CHECK-NEXT: call void @__pf_atomic_begin(ptr %p, i64 %n,
; CHECK-NEXT: call void @__atomic_store(i64 %n, ptr %p, ptr %buffer, i32 %order)
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 %n, i32 1, i32 %order,
; CHECK: call void @__pf_read_range(ptr %buffer, i64 12,
; CHECK-NEXT: call void @__pf_write_range(ptr %other, i64 12,
; CHECK-NEXT: call void @__pf_atomic_begin(ptr %p, i64 12,
; CHECK-NEXT: call void @__atomic_exchange(
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 12, i32 2, i32 5,
define void @generic(ptr %p, ptr %buffer, ptr %other, i64 %n, i32 %order) sanitize_thread {
  call void @__atomic_load(i64 12, ptr %p, ptr %buffer, i32 2)
  call void @__atomic_store(i64 %n, ptr %p, ptr %buffer, i32 %order)
  call void @__atomic_exchange(i64 12, ptr %p, ptr %buffer, ptr %other, i32 5)
  ret void
}

; A failure writes what it found to the buffer with the expected value.
; CHECK-LABEL: @compare(
; CHECK: call void @__pf_read_range(ptr %expected, i64 12,
; CHECK-NEXT: call void @__pf_read_range(ptr %desired, i64 12,
; CHECK-NEXT: call void @__pf_atomic_begin(ptr %p, i64 12,
; CHECK-NEXT: [[DONE:%.*]] = call zeroext i1 @__atomic_compare_exchange(
; CHECK: [[KIND:%.*]] = select i1 [[DONE]], i32 2, i32 0
; CHECK: [[ORDER:%.*]] = select i1 [[DONE]], i32 4, i32 %failure
; CHECK: call void @__pf_atomic_end(ptr %p, i64 12, i32 [[KIND]], i32 [[ORDER]],
; CHECK: [[FAILED:%.*]] = xor i1 [[DONE]], true
; CHECK: br i1 [[FAILED]], label %[[WRITES:.*]], label
; CHECK: [[WRITES]]:
; CHECK-NEXT: call void @__pf_write_range(ptr %expected, i64 12,
define i1 @compare(ptr %p, ptr %expected, ptr %desired, i32 %failure) sanitize_thread {
  %done = call zeroext i1 @__atomic_compare_exchange(i64 12, ptr %p, ptr %expected, ptr %desired, i32 4, i32 %failure)
  ret i1 %done
}

; CHECK-LABEL: @sized(
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 16,
; CHECK-NEXT: call i128 @__atomic_load_16(ptr %p, i32 0)
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 16, i32 0, i32 0,
; CHECK: call void @__atomic_store_16(
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 16, i32 1, i32 3,
; CHECK: call void @__pf_read16(ptr %expected,
; CHECK: call zeroext i1 @__atomic_compare_exchange_16(
; CHECK: call void @__pf_write16(ptr %expected,
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 8,
; CHECK-NEXT: call i64 @__atomic_fetch_add_8(
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 8, i32 2, i32 5,
; CHECK-NOT: @__pf_atomic
; CHECK: call void @__atomic_load_unknown(
define void @sized(ptr %p, ptr %expected) sanitize_thread {
  %a = call i128 @__atomic_load_16(ptr %p, i32 0)
  call void @__atomic_store_16(ptr %p, i128 %a, i32 3)
  %b = call zeroext i1 @__atomic_compare_exchange_16(ptr %p, ptr %expected, i128 %a, i32 5, i32 5)
  %c = call i64 @__atomic_fetch_add_8(ptr %p, i64 1, i32 5)
  call void @__atomic_load_unknown(ptr %p)
  ret void
}

; Called where an exception could be caught, it still ends.
; CHECK-LABEL: @invoked(
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 16,
; CHECK-NEXT: call i128 @__atomic_load_16(ptr %p, i32 5)
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 16,
define i128 @invoked(ptr %p) sanitize_thread personality ptr @__gxx_personality_v0 {
  %v = invoke i128 @__atomic_load_16(ptr %p, i32 5) to label %done unwind label %pad
done:
  ret i128 %v
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
declare i32 @__gxx_personality_v0(...)
