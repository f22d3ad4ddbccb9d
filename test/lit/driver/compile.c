// Each kind of output gets the checks, and none of these is linked.
//
// RUN: %cc -### -c %s -o x.o 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### -S %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### -S -emit-llvm %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### -E %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### -M %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### -MM %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### -fsyntax-only %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cc -### --compile %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %cxx -### -c %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK,CXX
// RUN: %pf-clang -### -c %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK
// RUN: %pf-clang++ -### -c %s 2>&1 | FileCheck %s --check-prefixes=CHECKS,NO-LINK,CXX
//
// CHECKS: "-cc1"
// CHECKS-SAME: "-D" "__SANITIZE_THREAD__=1"
// CHECKS-SAME: "-fsanitize=thread"
// CHECKS-SAME: "-fpass-plugin={{[^"]*}}/lib/photofinish/libphotofinish-placement.so"
// CXX-SAME: "-x" "c++"
// NO-LINK-NOT: --whole-archive
//
// Code that asks for ThreadSanitizer in either way gets its answer.
//
// RUN: %cc -E %s | FileCheck %s --check-prefix=ASKED
// ASKED: seen by gcc's name
// ASKED: seen by clang's name
#ifdef __SANITIZE_THREAD__
seen by gcc's name
#endif
#if __has_feature(thread_sanitizer)
seen by clang's name
#endif
