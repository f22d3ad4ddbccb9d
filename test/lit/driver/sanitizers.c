// UndefinedBehaviorSanitizer works beside the checks, with its runtime.
//
// RUN: %cc -### -fsanitize=undefined -c %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: %cc -### -fsanitize=undefined %s 2>&1 | FileCheck %s --check-prefixes=BOTH,LINK
// RUN: %cc -### -fsanitize=signed-integer-overflow,null %s 2>&1 | FileCheck %s --check-prefix=LINK
// BOTH: "-cc1"
// BOTH-SAME: "-fsanitize={{[^"]*}}thread
// LINK: libclang_rt.ubsan_standalone
// LINK-SAME: libphotofinish-rt.a
//
// What is switched off again does not count.
// RUN: %cc -### -fsanitize=address -fno-sanitize=address -c %s 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: %cc -### -fsanitize=address,undefined -fno-sanitize=all -c %s 2>&1 | FileCheck %s --check-prefix=BOTH-OFF
// BOTH-OFF: "-fpass-plugin=
int Counter;
