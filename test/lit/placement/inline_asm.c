// Operands in memory are read and written by inline assembly. What else it does is not known.
// RUN: %clang-ir -O1 %s | FileCheck %s

// CHECK-LABEL: @add(
// CHECK-DAG: call void @__pf_write4(ptr {{.*}}%p,
// CHECK-DAG: call void @__pf_read4(ptr {{.*}}%p,
// CHECK-DAG: call void @__pf_read8(ptr {{.*}}%q,
// CHECK: asm sideeffect "addl $2
void add(int *p, long *q, int r) { __asm__ volatile("addl %2, %0 # %1" : "+m"(*p) : "m"(*q), "r"(r)); }

// CHECK-LABEL: @store(
// CHECK-NOT: @__pf_read
// CHECK: call void @__pf_write2(ptr {{.*}}%p,
// CHECK-NEXT: call void asm
// CHECK-NOT: @__pf_
// CHECK: asm sideeffect "nop"
void store(short *p) {
  __asm__ volatile("movw $1, %0" : "=m"(*p));
  __asm__ volatile("nop" ::: "memory");
}

// Registers come first among the operands.
// CHECK-LABEL: @mixed(
// CHECK: call void @__pf_read1(ptr {{.*}}%p,
// CHECK-NEXT: call i32 asm
int mixed(int a, char *p) {
  int r;
  __asm__ volatile("movl %1, %0 # %2" : "=r"(r) : "r"(a), "m"(*p));
  return r;
}

// With labels to jump to.
// CHECK-LABEL: @jumps(
// CHECK: call void @__pf_read4(ptr {{.*}}%p,
// CHECK-NEXT: callbr void asm
int jumps(int *p) {
  __asm__ goto("testl $1, %0; jne %l1" : : "m"(*p) : "cc" : odd);
  return 0;
odd:
  return 1;
}
