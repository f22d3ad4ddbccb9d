// -fphotofinish-placement and -fphotofinish-verify reach the pass, in response files, too; the last word counts.
//
// RUN: %cc -### -c %s 2>&1 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT-NOT: photofinish-placement=
// DEFAULT-NOT: photofinish-verify
// RUN: %cc -### -fphotofinish-placement=bigfoot -fphotofinish-placement=redcard -fphotofinish-verify -c %s 2>&1 | FileCheck %s
// RUN: echo "-fphotofinish-placement=redcard -fphotofinish-verify" > %t.rsp
// RUN: %cc -### @%t.rsp -c %s 2>&1 | FileCheck %s
// CHECK: "-mllvm" "-photofinish-placement=redcard"
// CHECK-SAME: "-mllvm" "-photofinish-verify"
// CHECK-NOT: "-fphotofinish
//
// RUN: %cc -O1 -fphotofinish-placement=redcard -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=CHECKS
// CHECKS-NOT: __pf_read4
// CHECKS: __pf_write4
// CHECKS-NOT: __pf_read4
// When linking, it says nothing.
// RUN: %cc -fphotofinish-placement=redcard %t.o -o %t 2>&1 | count 0
void increment(int *p) { ++*p; }
int main(void) { return 0; }
