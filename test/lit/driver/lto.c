// With link-time optimization checks are in the objects, once, and lld links unless the user says otherwise.
//
// RUN: touch %t.o
// RUN: %cc -### -flto %s 2>&1 | FileCheck %s --check-prefix=LLD
// RUN: %cc -### -flto=thin %t.o 2>&1 | FileCheck %s --check-prefix=LLD
// RUN: %cc -### -flto -fuse-ld=bfd %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %cc -### -flto -fno-lto %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %cc -### -flto -c %s 2>&1 | FileCheck %s --check-prefix=OTHER
// LLD: ld.lld"
// OTHER-NOT: ld.lld"
//
// RUN: %cc -flto -O1 -c %s -o %t.full.o && llvm-dis %t.full.o -o - | FileCheck %s --check-prefix=IR
// RUN: %cc -flto=thin -O1 -c %s -o %t.thin.o && llvm-dis %t.thin.o -o - | FileCheck %s --check-prefix=IR
// RUN: %cc -flto -O1 %t.full.o -o %t.full
// RUN: %cc -flto=thin -O1 %t.thin.o -o %t.thin
// IR-COUNT-1: call void @__pf_write4
// IR-NOT: call void @__pf_write4
int Counter;
int main(void) {
  Counter = 1;
  return 0;
}
