// Response files are clang's to read; what they say counts here, too.
//
// RUN: echo "-c -o %t.o" > %t.outer && echo "@%t.outer -DGiven" > %t.rsp
// RUN: %cc -### @%t.rsp %s 2>&1 | FileCheck %s
// CHECK: "-D" "Given"
// CHECK-NOT: libphotofinish-rt
// RUN: %cc @%t.rsp %s && llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: __pf_
// RUN: echo "-m32" > %t.bad
// RUN: not %cc -c @%t.bad %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: '-m32' is not supported
// RUN: not %cc -c @%t.missing %s 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: no such file or directory
#ifndef Given
#error
#endif
int Counter;
void count(void) { ++Counter; }
