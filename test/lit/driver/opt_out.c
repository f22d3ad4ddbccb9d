// -fno-photofinish is plain clang, whatever else is said; the last word counts.
//
// RUN: %cc -### -fno-photofinish %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %cc -### -fphotofinish -fno-photofinish -c %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %cc -### -fno-photofinish -fsanitize=address %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %cc -### -fno-photofinish -m32 -c %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: echo "-fno-photofinish -DInFile" > %t.rsp
// RUN: %cc -### @%t.rsp -c %s 2>&1 | FileCheck %s --check-prefixes=PLAIN,FILE
// PLAIN: "-cc1"
// FILE-SAME: "InFile"
// PLAIN-NOT: photofinish
//
// RUN: %cc -### -fno-photofinish -fphotofinish %s 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: "-fpass-plugin=
// BACK: libphotofinish-rt.a
//
// RUN: %cc -fno-photofinish -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-NOT: __pf_
// SYMBOLS-NOT: __tsan_
// A program of such objects may still have the runtime.
// RUN: %cc %t.o -o %t
int Counter;
int main(void) { return Counter++; }
