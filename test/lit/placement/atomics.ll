; An atomic operation stays where it is, between begin and end and with nothing else there; end is told its
; kind (load 0, store 1, read-modify-write 2) and order (relaxed 0, acquire 2, release 3, both 4, seq_cst 5).
; RUN: %instrument %s | FileCheck %s

; Atomic reads and writes are different sites.
; CHECK-DAG: @[[READ:pf_site[.0-9]*]] = {{.*}}, i8 4, i8 2, i32 0 }, section "pf_sites"
; CHECK-DAG: @[[WRITE:pf_site[.0-9]*]] = {{.*}}, i8 4, i8 3, i32 0 }, section "pf_sites"

; CHECK-LABEL: @loads(
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 4, ptr @[[READ]])
; CHECK-NEXT: load atomic i32, ptr %p monotonic
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 4, i32 0, i32 0, ptr @[[READ]])
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 8,
; CHECK-NEXT: load atomic ptr, ptr %p acquire
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 8, i32 0, i32 2,
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 16,
; CHECK-NEXT: load atomic volatile i128, ptr %p seq_cst
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 16, i32 0, i32 5,
; CHECK: load atomic i32, ptr %p unordered
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 4, i32 0, i32 0,
; CHECK-NOT: @__pf_read
; CHECK: ret void
define void @loads(ptr %p) sanitize_thread {
  %a = load atomic i32, ptr %p monotonic, align 4
  %b = load atomic ptr, ptr %p acquire, align 8
  %c = load atomic volatile i128, ptr %p seq_cst, align 16
  %d = load atomic i32, ptr %p unordered, align 4
  ret void
}

; CHECK-LABEL: @stores(
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 4, ptr @[[WRITE]])
; CHECK-NEXT: store atomic i32 1, ptr %p release
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 4, i32 1, i32 3, ptr @[[WRITE]])
; CHECK: store atomic float
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 4, i32 1, i32 5,
define void @stores(ptr %p) sanitize_thread {
  store atomic i32 1, ptr %p release, align 4
  store atomic float 1.0, ptr %p seq_cst, align 4
  ret void
}

; CHECK-LABEL: @rmw(
; CHECK: call void @__pf_atomic_begin(ptr %p, i64 1,
; CHECK-NEXT: atomicrmw add ptr %p, i8 1 acq_rel
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 1, i32 2, i32 4,
; CHECK: atomicrmw xchg ptr %p, ptr null acquire
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 8, i32 2, i32 2,
; CHECK: atomicrmw fadd ptr %p, double 1.000000e+00 monotonic
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 8, i32 2, i32 0,
define void @rmw(ptr %p) sanitize_thread {
  %a = atomicrmw add ptr %p, i8 1 acq_rel
  %b = atomicrmw xchg ptr %p, ptr null acquire
  %c = atomicrmw fadd ptr %p, double 1.0 monotonic
  ret void
}

; An order within the thread orders nothing between threads.
; CHECK-LABEL: @single_thread(
; CHECK: load atomic i32, ptr %p syncscope("singlethread") seq_cst
; CHECK-NEXT: call void @__pf_atomic_end(ptr %p, i64 4, i32 0, i32 0,
define void @single_thread(ptr %p) sanitize_thread {
  %a = load atomic i32, ptr %p syncscope("singlethread") seq_cst, align 4
  ret void
}

; Synchronization counts where plain accesses do not.
; CHECK-LABEL: @opted_out(
; CHECK-NOT: @__pf_read4
; CHECK: call void @__pf_atomic_begin(ptr %p,
; CHECK-NEXT: store atomic
; CHECK-NEXT: call void @__pf_atomic_end(
; CHECK: ret void
define void @opted_out(ptr %p) {
  %a = load i32, ptr %p
  store atomic i32 %a, ptr %p release, align 4
  ret void
}
