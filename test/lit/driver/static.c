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
// Libc stands between two objects, which tell its own calls apart.
// CHECK-SAME: "{{[^"]*}}/lib/photofinish/libc-begin.o" "--start-group" "-lgcc" "-lgcc_eh" "-lc" "--end-group"
// CHECK-SAME: "{{[^"]*}}/lib/photofinish/libc-end.o"
//
// C++ programs have more functions to stand in for: another archive, with everything in it.
// RUN: %cxx -### -static %s 2>&1 | FileCheck %s --check-prefix=CXX
// RUN: %cc -### -static %t.o -lstdc++ 2>&1 | FileCheck %s --check-prefix=CXX
// CXX-NOT: libphotofinish-rt-static.a
// CXX: "{{[^"]*}}/lib/photofinish/libphotofinish-rt-static-cxx.a"
// CXX-SAME: "--wrap=_Znwm"
// CXX-SAME: "--wrap=pthread_mutex_lock"
// CXX-SAME: "-lstdc++"
// CXX-SAME: "{{[^"]*}}/lib/photofinish/libc-begin.o"
//
// The compiler's own libraries may be static in a dynamic program.
// RUN: %cxx -### -static-libstdc++ -static-libgcc %s 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: libphotofinish-rt.a
int main(void) { return 0; }
