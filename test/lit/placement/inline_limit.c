// A test is many times the code of a call. In a module of many accesses those have one that are in an innermost loop,
// and those of a function with few; the others are calls that look themselves.
// RUN: %clang-ir %plugin-options -mllvm -photofinish-inline-checks -mllvm -photofinish-inline-limit=4 -O1 %s | FileCheck %s
// RUN: %clang-ir %plugin-options -mllvm -photofinish-inline-checks -O1 %s | FileCheck %s --check-prefix=SMALL

struct node {
  struct node *next;
  long a, b, c;
};

// CHECK-LABEL: @few(
// CHECK: call preserve_mostcc void @__pf_first_read8(
long few(const struct node *n) { return n->a; }

// Of the six accesses before and in the outer loop none has a test; that of the inner loop has.
// CHECK-LABEL: @many(
// CHECK-COUNT-6: call void @__pf_{{read|write}}8(
// CHECK-NOT: call void @__pf_
// CHECK: call preserve_mostcc void @__pf_first_read8(ptr {{.*}}%b3,
// CHECK-NOT: call {{.*}}void @__pf_
// SMALL-LABEL: @many(
// SMALL-NOT: call void @__pf_
// SMALL: ret void
void many(struct node *n, long *to) {
  long sum = n->a + n->b;
  for (; n; n = n->next) {
    sum += n->c;
    for (const struct node *m = n; m->b > sum; --m)
      sum += 3;
    *to = sum;
  }
}

// There are too many even in the innermost loop.
#define TWO(n) to[n] = from[n] + 1; to[n] ^= 7;
#define EIGHT(n) TWO(n) TWO(n + 1) TWO(n + 2) TWO(n + 3)
#define MORE(n) EIGHT(n) EIGHT(n + 4) EIGHT(n + 8)
// CHECK-LABEL: @too_many(
// CHECK-NOT: @__pf_first_
// CHECK: ret void
void too_many(volatile long *to, const volatile long *from, long times) {
  while (times--) {
    MORE(0) MORE(16)
  }
}
