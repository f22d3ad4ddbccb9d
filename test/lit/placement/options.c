// The plugin's options, as clang takes them.
// RUN: %clang %plugin-options -mllvm -photofinish-stats -O0 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %clang-ir %plugin-options -mllvm -photofinish-inline-checks -O2 %s | FileCheck %s --check-prefix=INLINE
// RUN: %clang-ir %plugin-options -mllvm -photofinish-placement=bigfoot -O2 %s | FileCheck %s --check-prefix=IMPLIED
// RUN: %clang-ir %bigfoot -O2 %s | FileCheck %s --check-prefix=CALLED

// STATS: photofinish: {{.*}}options.c: f: 2 plain accesses, 2 checks (1.00): 0 removed, 0 moved out of loops, 0 joined
// STATS: photofinish: {{.*}}options.c: 2 plain accesses, 0 memory operations, 1 atomic operations, 1 fences; 4 sites; without a check: {{[0-9]+}} on locals, 1 on constants, 0 foreign, 0 not understood
// IMPLIED: call preserve_mostcc void @__pf_first_write4(
// CALLED-NOT: __pf_first_
// INLINE: br i1 {{.*}}, !prof
// INLINE: call preserve_mostcc void @__pf_first_read4(
const int table[4] = {1, 2, 3, 4};
int f(int *p, _Atomic int *q, int i) {
  int local = *p;
  *p = local + table[i];
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return __c11_atomic_load(q, __ATOMIC_RELAXED);
}
