; What a compare-exchange was is known when it is done: a read-modify-write with the order of success, or a
; load with the order of failure.
; RUN: %instrument %s | FileCheck %s

; CHECK-LABEL: @strong(
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 8, ptr @[[SITE:.*]])
; CHECK-NEXT: [[PAIR:%.*]] = cmpxchg ptr %p, i64 %a, i64 %b acq_rel acquire
; CHECK-NEXT: [[DONE:%.*]] = extractvalue { i64, i1 } [[PAIR]], 1
; CHECK-NEXT: [[KIND:%.*]] = select i1 [[DONE]], i32 2, i32 0
; CHECK-NEXT: [[ORDER:%.*]] = select i1 [[DONE]], i32 4, i32 2
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 8, i32 [[KIND]], i32 [[ORDER]], ptr @[[SITE]])
define i1 @strong(ptr %p, i64 %a, i64 %b) sanitize_thread {
  %pair = cmpxchg ptr %p, i64 %a, i64 %b acq_rel acquire
  %done = extractvalue { i64, i1 } %pair, 1
  ret i1 %done
}

; CHECK-LABEL: @weak(
; CHECK: cmpxchg weak ptr %p, i128 0, i128 1 release monotonic
; CHECK: select i1 {{.*}}, i32 3, i32 0
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 16,
define void @weak(ptr %p) sanitize_thread {
  %pair = cmpxchg weak ptr %p, i128 0, i128 1 release monotonic
  ret void
}
