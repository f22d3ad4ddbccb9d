// At every level, with link-time optimization or without, one check for one access; nothing remains of
// clang's own ThreadSanitizer pass, which -fsanitize=thread brings along.
// RUN: %clang-ir -O0 %s | FileCheck %s
// RUN: %clang-ir -O1 %s | FileCheck %s
// RUN: %clang-ir -O2 %s | FileCheck %s
// RUN: %clang-ir -O3 %s | FileCheck %s
// RUN: %clang-ir -Os %s | FileCheck %s
// RUN: %clang-ir -Oz %s | FileCheck %s
// RUN: %clang-ir -O0 -flto=thin %s | FileCheck %s
// RUN: %clang-ir -O2 -flto=thin %s | FileCheck %s
// RUN: %clang-ir -O0 -flto=full %s | FileCheck %s
// RUN: %clang-ir -O2 -flto=full %s | FileCheck %s
// RUN: %clang-ir -O2 -fsanitize=undefined %s | FileCheck %s
// RUN: %clang-ir -O2 -flto=thin %s | opt -passes='thinlto<O2>' -load-pass-plugin=%plugin -S | FileCheck %s

// CHECK-NOT: {{[^_]}}tsan
// CHECK-LABEL: @access(
// CHECK-COUNT-1: @llvm.returnaddress
// CHECK-NOT: @llvm.returnaddress
// CHECK: call void @__pf_read4(ptr {{.*}}[[P:%[[:alnum:].]+]], ptr
// CHECK-NOT: call void @__pf
// CHECK: load i32, ptr [[P]]
// CHECK-NOT: call void @__pf
// CHECK: call void @__pf_write8(ptr {{.*}}[[Q:%[[:alnum:].]+]], ptr
// CHECK-NOT: call void @__pf
// CHECK: store i64 {{.*}}, ptr [[Q]]
// CHECK-NOT: call void @__pf
// CHECK: call void @__pf_atomic_begin(
// CHECK-NEXT: store atomic i32
// CHECK-NEXT: call void @__pf_atomic_end(
// CHECK-NOT: call void @__pf
// CHECK: ret void
// CHECK-NOT: {{[^_]}}tsan
void access(int *p, long *q, _Atomic int *r) {
  *q = *p;
  *r = 0;
}
