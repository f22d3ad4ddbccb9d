// Three ways out: no_sanitize("thread") leaves plain accesses unchecked, but keeps stacks and
// synchronization; disable_sanitizer_instrumentation leaves the function as it is; and what runs before
// there is a thread, or has no stack, is never touched.
// RUN: %clang-ir -O0 %s | FileCheck %s
// RUN: %clang-ir -O2 %s | FileCheck %s

int shared;
_Atomic int flag;
void step(void);

// CHECK-LABEL: @quiet(
// CHECK: %pf_frame = load ptr
// CHECK-NOT: @__pf_read
// CHECK: call void @__pf_atomic_begin(ptr {{.*}}@flag,
// CHECK: call void @__pf_atomic_end(ptr {{.*}}@flag,
// CHECK: ret i32
__attribute__((no_sanitize("thread"))) int quiet(void) {
  step();
  flag = 1;
  return shared;
}

// CHECK-LABEL: @disabled(
// CHECK-NOT: pf_
// CHECK: ret i32
__attribute__((disable_sanitizer_instrumentation)) int disabled(void) {
  step();
  flag = 1;
  return shared;
}

// CHECK-LABEL: @bare(
// CHECK-NOT: pf_
// CHECK: unreachable
__attribute__((naked)) int bare(void) { __asm__("ret"); }

void chosen(void);

// CHECK-LABEL: @checked(
// CHECK: call void @__pf_read4(ptr {{.*}}@shared,
int checked(void) {
  chosen();
  return shared;
}

// CHECK-LABEL: @resolver(
// CHECK-NOT: pf_
// CHECK: ret ptr
static void (*resolver(void))(void) { return shared ? step : 0; }
void chosen(void) __attribute__((ifunc("resolver")));
