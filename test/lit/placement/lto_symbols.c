// What an object for link-time optimization asks the linker for.
// RUN: %clang -O2 -flto=thin -c %s -o %t.thin.o
// RUN: %clang -O2 -flto=full -c %s -o %t.full.o
// RUN: %clang -O0 -c %s -o %t.plain.o
// RUN: llvm-nm %t.thin.o | FileCheck %s
// RUN: llvm-nm %t.full.o | FileCheck %s
// RUN: llvm-nm %t.plain.o | FileCheck %s

// CHECK-NOT: tsan
// CHECK: U __pf_instrumented_for_another_photofinish_runtime_than_version_
// CHECK-NOT: tsan
// CHECK: U __pf_read4
// CHECK-NOT: tsan
int get(int *p) { return *p; }
