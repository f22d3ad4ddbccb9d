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
// RUN: %cc -### -fphotofinish-inline-checks -fno-photofinish-inline-checks -c %s 2>&1 | FileCheck %s --check-prefix=CALLED
// CALLED: "-mllvm" "-photofinish-inline-checks=false"
// CALLED-NOT: inline-checks=true
// RUN: %cc -O1 -fphotofinish-inline-checks -c %s -o %t.inlined.o && llvm-nm %t.inlined.o | FileCheck %s --check-prefix=INLINED
// INLINED: __pf_first_write4
// RUN: %cc -O1 -fphotofinish-placement=redcard -fphotofinish-stats -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: placement.c: increment: 2 plain accesses, 1 checks (0.50): 1 removed, 0 moved out of loops, 0 joined
// When linking, it says nothing.
// RUN: %cc -fphotofinish-placement=redcard %t.o -o %t 2>&1 | count 0
void increment(int *p) { ++*p; }
int main(void) { return 0; }
