; A module with sites announces the table before its own constructors run, and takes it back at the end; and it
; needs the runtime of its own version.
; RUN: split-file %s %t
; RUN: %instrument %t/sites.ll | FileCheck %s
; RUN: %instrument %t/frames.ll | FileCheck %s --check-prefix=FRAMES
; RUN: %instrument %t/nothing.ll | FileCheck %s --check-prefix=NOTHING

; CHECK-DAG: @__start_pf_sites = extern_weak hidden constant
; CHECK-DAG: @__stop_pf_sites = extern_weak hidden constant
; CHECK-DAG: @llvm.global_ctors = appending global {{.*}} { i32 1, ptr @__pf_module_ctor, ptr null }
; CHECK-DAG: @llvm.global_dtors = appending global {{.*}} { i32 1, ptr @__pf_module_dtor, ptr null }
; CHECK-DAG: @[[VERSION:__pf_instrumented_for_another_photofinish_runtime_than_version_[0-9]+]] = external global i8
; CHECK-DAG: @[[REFERENCE:.*]] = private constant ptr @[[VERSION]]
; CHECK-DAG: @llvm.used = appending global {{.*}} [ptr @[[REFERENCE]]]

; CHECK: define internal void @__pf_module_ctor()
; CHECK-NEXT: call void @__pf_module_loaded(ptr @__start_pf_sites, ptr @__stop_pf_sites)
; CHECK-NEXT: ret void
; CHECK: define internal void @__pf_module_dtor()
; CHECK-NEXT: call void @__pf_module_unloaded(ptr @__start_pf_sites, ptr @__stop_pf_sites)
; CHECK-NEXT: ret void

; Without a table there is nothing to announce.
; FRAMES: @__pf_instrumented_for_another_photofinish_runtime_than_version_
; FRAMES-NOT: pf_sites
; FRAMES-NOT: @__pf_module

; NOTHING-NOT: @__pf

;--- sites.ll
define i32 @f(ptr %p) sanitize_thread {
  %v = load i32, ptr %p
  ret i32 %v
}
;--- frames.ll
declare void @g()
define void @f() sanitize_thread {
  call void @g()
  ret void
}
;--- nothing.ll
define i32 @f(i32 %x) sanitize_thread {
  ret i32 %x
}
