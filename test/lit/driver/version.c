// An object that was compiled for another version of the runtime does not link, and the linker names the reason.
// RUN: %cc -c %s -o %t.o
// RUN: llvm-objcopy --redefine-sym __pf_instrumented_for_another_photofinish_runtime_than_version_6=__pf_instrumented_for_another_photofinish_runtime_than_version_0 %t.o %t.old.o
// RUN: %cc %t.o -o %t
// RUN: not %cc %t.old.o -o %t.old 2>&1 | FileCheck %s
// CHECK: undefined reference to `__pf_instrumented_for_another_photofinish_runtime_than_version_0'
int Global;
int main(void) { return Global++; }
