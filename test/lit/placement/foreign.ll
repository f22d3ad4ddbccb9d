; Not the program's memory: counters of profiles, what other instrumentation put in, other address spaces.
; RUN: %instrument %s | FileCheck %s

@__llvm_gcov_ctr = internal global [1 x i64] zeroinitializer
@counters = private global [1 x i64] zeroinitializer, section "__llvm_prf_cnts"

; CHECK-LABEL: @foreign(
; CHECK-NOT: @__pf_
; CHECK: ret void
define void @foreign(ptr addrspace(257) %segment, ptr %p, ptr swifterror %error) sanitize_thread {
  %a = load i64, ptr @__llvm_gcov_ctr
  store i64 1, ptr @counters
  %e = atomicrmw add ptr @counters, i64 1 monotonic
  %b = load i64, ptr addrspace(257) %segment
  %c = load i64, ptr %p, !nosanitize !0
  %d = load ptr, ptr %error
  ret void
}

!0 = !{}
