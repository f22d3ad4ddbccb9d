// A program gets all of the runtime, exports what libraries need of it, and knows its tool.
//
// RUN: touch %t.o
// RUN: %cc -### %s -o program 2>&1 | FileCheck %s
// RUN: %cc -### %t.o 2>&1 | FileCheck %s
// RUN: %cc -### -lfoo 2>&1 | FileCheck %s
// RUN: %cc -### -pie %t.o 2>&1 | FileCheck %s
// RUN: %cc -### -no-pie %t.o 2>&1 | FileCheck %s
// RUN: %cc -### -MD -MF deps %s 2>&1 | FileCheck %s
// An option's value is no input, and its looks mean nothing.
// RUN: %cc -### -o -c %t.o 2>&1 | FileCheck %s
// RUN: %cc -### -Xlinker -rpath -Xlinker -c %t.o 2>&1 | FileCheck %s
// RUN: %cxx -### %t.o 2>&1 | FileCheck %s
// CHECK: "--whole-archive" "{{[^"]*}}/lib/photofinish/libphotofinish-rt.a" "--no-whole-archive"
// CHECK-SAME: "--dynamic-list={{[^"]*}}/lib/photofinish/photofinish.syms"
// CHECK-SAME: "/proc/self/fd/{{[0-9]+}}"
//
// No compilation, no flags for it: an UndefinedBehaviorSanitizer that is linked stays.
// RUN: %cc -### -fsanitize=undefined %t.o 2>&1 | FileCheck %s --check-prefix=UBSAN
// UBSAN-NOT: "-fsanitize=thread"
// UBSAN: libclang_rt.ubsan
// UBSAN-SAME: libphotofinish-rt.a
//
// The object in between is read by every linker; a stripped program keeps the section.
// RUN: %cc %s -o %t.bfd && llvm-readobj --sections %t.bfd | FileCheck %s --check-prefix=SECTION
// RUN: %cc -fuse-ld=lld %s -o %t.lld && llvm-readobj --sections %t.lld | FileCheck %s --check-prefix=SECTION
// RUN: %cc -Wl,--gc-sections -s %s -o %t.s && llvm-readobj --sections %t.s | FileCheck %s --check-prefix=SECTION
// RUN: %cc %s -o %t.p && llvm-readobj --string-dump=pf_tool_path %t.p | FileCheck %s --check-prefix=TOOL
// SECTION: Name: pf_tool_path
// TOOL: {{.*}}/bin/photofinish
int main(void) { return 0; }
