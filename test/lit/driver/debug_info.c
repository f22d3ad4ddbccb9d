// Lines are known unless the user decided about debug information.
//
// RUN: %cc -### -c %s 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: %cc -### -c %s -gz 2>&1 | FileCheck %s --check-prefix=LINES
// LINES: "-debug-info-kind=line-tables-only"
// RUN: %cc -### -c -g %s 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: %cc -### -c -ggdb3 %s 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: %cc -### -c -gdwarf-4 %s 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: "-debug-info-kind=constructor"
// RUN: %cc -### -c -g0 %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: "-debug-info-kind=
int Counter;
