; Every size has its entry point; the check comes right before the access, with the access's address
; and a site that says its size and kind.
; RUN: %instrument %s | FileCheck %s

; CHECK-DAG: @[[R1:pf_site[.0-9]*]] = private constant {{.*}}, i32 0, i16 0, i8 1, i8 0, i32 0 }, section "pf_sites", align 4
; CHECK-DAG: @[[W16:pf_site[.0-9]*]] = private constant {{.*}}, i32 0, i16 0, i8 16, i8 1, i32 0 }, section "pf_sites", align 4

; CHECK-LABEL: @loads(
; CHECK: call void @__pf_read1(ptr %p, ptr @[[R1]])
; CHECK-NEXT: load i8, ptr %p
; CHECK: call void @__pf_read2(ptr %p, ptr @pf_site
; CHECK-NEXT: load i16, ptr %p
; CHECK: call void @__pf_read4(ptr %p, ptr @pf_site
; CHECK-NEXT: load float, ptr %p
; CHECK: call void @__pf_read8(ptr %p, ptr @pf_site
; CHECK-NEXT: load ptr, ptr %p
; CHECK: call void @__pf_read16(ptr %p, ptr @pf_site
; CHECK-NEXT: load <4 x i32>, ptr %p
define void @loads(ptr %p) sanitize_thread {
  %a = load i8, ptr %p
  %b = load i16, ptr %p
  %c = load float, ptr %p
  %d = load ptr, ptr %p
  %e = load <4 x i32>, ptr %p
  ret void
}

; Alignment makes no difference to which one is called.
; CHECK-LABEL: @stores(
; CHECK: call void @__pf_write1(ptr %p,
; CHECK-NEXT: store i8
; CHECK: call void @__pf_write2(ptr %p,
; CHECK-NEXT: store i16
; CHECK: call void @__pf_write4(ptr %p,
; CHECK-NEXT: store i32
; CHECK: call void @__pf_write8(ptr %p,
; CHECK-NEXT: store double
; CHECK: call void @__pf_write16(ptr %p, ptr @[[W16]])
; CHECK-NEXT: store volatile i128
define void @stores(ptr %p) sanitize_thread {
  store i8 0, ptr %p
  store i16 0, ptr %p, align 1
  store i32 0, ptr %p, align 1
  store double 0.0, ptr %p, align 1
  store volatile i128 0, ptr %p, align 1
  ret void
}

; CHECK-DAG: declare void @__pf_read4(ptr nocapture, ptr)
; CHECK-DAG: declare void @__pf_write16(ptr nocapture, ptr)
