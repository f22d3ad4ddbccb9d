// A loop whose checks have moved out still becomes one over vectors; one whose checks are inside does not.
// RUN: %clang-ir %bigfoot -O2 %s | FileCheck %s
// RUN: %clang-ir %plugin-options -mllvm -photofinish-placement=access -O2 %s | FileCheck %s --check-prefix=INSIDE

// CHECK-LABEL: @add(
// CHECK: load <{{[0-9]+}} x double>
// CHECK: fadd <{{[0-9]+}} x double>
// CHECK: store <{{[0-9]+}} x double>
// CHECK-DAG: call void @__pf_read_range(ptr {{.*}}%b,
// CHECK-DAG: call void @__pf_read_range(ptr {{.*}}%c,
// CHECK-DAG: call void @__pf_write_range(ptr {{.*}}%a,
// INSIDE-LABEL: @add(
// INSIDE-NOT: x double>
// INSIDE: ret void
void add(double *a, const double *b, const double *c, long n) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] + c[i];
}
