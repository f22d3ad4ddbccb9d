// A library has checks, and finds the runtime in the program that loads it.
//
// RUN: %cc -### -shared -fPIC %s 2>&1 | FileCheck %s
// RUN: %cc -### -Wl,-shared -fPIC %s 2>&1 | FileCheck %s
// RUN: %cc -### -r %s 2>&1 | FileCheck %s
// RUN: %cc -### -Wl,-r -nostdlib %s 2>&1 | FileCheck %s
// CHECK: "-fpass-plugin=
// CHECK-NOT: libphotofinish-rt
// CHECK-NOT: --unresolved-symbols
//
// So the runtime's symbols are undefined in it, however strict the user is about that.
//
// RUN: %cc -shared -fPIC %s -o %t.so -Wl,-z,defs
// RUN: %cc -shared -fPIC %s -o %t.so -Wl,--no-undefined
// RUN: %cc -shared -fPIC %s -o %t.so -z defs
// RUN: %cc -shared -fPIC %s -o %t.so -Xlinker -z -Xlinker defs
// RUN: %cc -shared -fPIC -o %t.so -Wl,-z,defs -- %s
// RUN: %cc -shared -fPIC %s -o %t.so -Wl,-z,defs -fuse-ld=lld
// RUN: llvm-nm -D %t.so | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: U __pf_
int Counter;
void count(void) { ++Counter; }
