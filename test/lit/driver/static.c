// Static programs have a runtime of their own, which stands in for functions by name.
//
// RUN: touch %t.o
// RUN: %cc -### -static %s 2>&1 | FileCheck %s
// RUN: %cc -### --static %s 2>&1 | FileCheck %s
// RUN: %cc -### -static-pie %s 2>&1 | FileCheck %s
// CHECK: "--whole-archive" "{{[^"]*}}/lib/photofinish/libphotofinish-rt-static.a" "--no-whole-archive"
// CHECK-SAME: "--wrap=
// CHECK-NOT: rt-static-cxx
// CHECK-NOT: --dynamic-list
//
// C++ programs have more functions to stand in for.
// RUN: %cxx -### -static %s 2>&1 | FileCheck %s --check-prefix=CXX
// RUN: %cc -### -static %t.o -lstdc++ 2>&1 | FileCheck %s --check-prefix=CXX
// CXX: "{{[^"]*}}/lib/photofinish/libphotofinish-rt-static.a"
// CXX: "{{[^"]*}}/lib/photofinish/libphotofinish-rt-static-cxx.a"
// CXX-SAME: "--wrap=_Znwm"
//
// The compiler's own libraries may be static in a dynamic program.
// RUN: %cxx -### -static-libstdc++ -static-libgcc %s 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: libphotofinish-rt.a
int main(void) { return 0; }
