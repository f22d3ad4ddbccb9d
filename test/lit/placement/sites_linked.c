// The table in an object: whole entries of 20 bytes in read-only memory, without a relocation at load time, and
// dropped with the functions that refer to it. When nothing is left of it, the ends still resolve.
// RUN: %clang -O1 -g -fPIC -ffunction-sections -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s
// RUN: ld.lld -shared --gc-sections %t.o -o %t.so
// RUN: llvm-readelf -S -r %t.so | FileCheck %s --check-prefix=LINKED
// RUN: echo "{ local: *; };" > %t.map
// RUN: ld.lld -shared --gc-sections --version-script=%t.map %t.o -o %t.empty.so
// RUN: llvm-readelf -S %t.empty.so | FileCheck %s --check-prefix=DROPPED
// RUN: llvm-nm %t.so | FileCheck %s --check-prefix=SYMBOLS

// CHECK: pf_sites {{.*}} 00003c 00 {{ *}}A {{ *}}0 {{ *}}0 {{ *}}4

// LINKED: pf_sites {{.*}} 00003c 00 {{ *}}A
// LINKED-NOT: pf_site
// DROPPED-NOT: pf_sites
// SYMBOLS-NOT: pf_site
// SYMBOLS: U __pf_instrumented_for_another_photofinish_runtime_than_version_
int read(int *p) { return *p; }
void write(int *p, long *q) {
  *p = 1;
  *q = 2;
}
