// Strided checks that lie between each other become one, which knows whose each byte is.
// RUN: %clangxx-ir %bigfoot -g -O1 -fno-unroll-loops %s | FileCheck %s

// CHECK-DAG: [[EVEN:@pf_site[.0-9]*]] = {{.*}} i32 [[#@LINE + 18]], i16 10, i8 4, i8 0, i32 0 }
// CHECK-DAG: [[ODD:@pf_site[.0-9]*]] = {{.*}} i32 [[#@LINE + 18]], i16 10, i8 4, i8 0, i32 0 }
// CHECK-DAG: [[ROW:@pf_row[.0-9]*]] = {{.*}}[8 x {{.*}} i32 8, i16 0, i8 0, i8 32, i32 {{.*}}[[EVEN]] {{.*}} i32 8, i16 3, i8 0, i8 32, i32 {{.*}}[[EVEN]] {{.*}} i32 8, i16 4, i8 0, i8 32, i32 {{.*}}[[ODD]] {{.*}} i32 8, i16 7, i8 0, i8 32, i32 {{.*}}[[ODD]] {{.*}}section "pf_sites"

// Without gaps: a range, whose site is that of its first byte's address in the row.
// CHECK-LABEL: @_Z5pairsPKil(
// CHECK: load i32
// CHECK: load i32
// CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %a to i64
// CHECK: [[NUMBER:%.*]] = and i64 [[ADDRESS]], 7
// CHECK: [[SITE:%.*]] = getelementptr inbounds {{.*}}[[ROW]], i64 [[NUMBER]]
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: call void @__pf_read_range(ptr {{.*}}%a, i64 {{%.*}}, ptr {{.*}}[[SITE]])
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: {{^}$}}
int pairs(const int *a, long n) {
  int s = 0;
  for (long i = 0; i < n; i += 2) {
    s += a[i] ^
         a[i + 1];
  }
  return s;
}

// With a gap: what lies side by side.
struct Point {
  double x, y, z, w;
};
// CHECK-LABEL: @_Z4moveP5Pointl(
// CHECK: store double
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: call void @__pf_write_strided(ptr {{.*}}%p, i64 24, i64 32, i64 {{%.*}}, ptr {{.*}}%
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: {{^}$}}
void move(Point *p, long n) {
  for (long i = 0; i < n; i++) {
    p[i].x += 1;
    p[i].y += 2;
    p[i].z += 3;
  }
}

// CHECK-LABEL: @_Z5outerP5Pointl(
// CHECK-DAG: call void @__pf_write_strided(ptr {{.*}}, i64 8, i64 32, i64 {{%.*}}, ptr {{.*}}@pf_site
// CHECK-DAG: call void @__pf_write_strided(ptr {{.*}}, i64 8, i64 32, i64 {{%.*}}, ptr {{.*}}@pf_site
// CHECK: {{^}$}}
void outer(Point *p, long n) {
  for (long i = 0; i < n; i++) {
    p[i].x += 1;
    p[i].z += 3;
  }
}

// Reads and writes stay apart: none is legitimate, or covers, for the other.
// CHECK-LABEL: @_Z4evenPil(
// CHECK-DAG: call void @__pf_read_strided(ptr {{.*}}, i64 4, i64 8, i64 {{%.*}}, ptr {{.*}}@pf_site
// CHECK-DAG: call void @__pf_write_strided(ptr {{.*}}, i64 4, i64 8, i64 {{%.*}}, ptr {{.*}}@pf_site
// CHECK: {{^}$}}
void even(int *a, long n) {
  for (long i = 0; i < n; i += 2)
    a[i] = a[i + 1];
}

// So do those of which the last iteration has made one only.
// CHECK-LABEL: @_Z5firstPKil(
// CHECK-NOT: pf_row
// CHECK: {{^}$}}
long first(const int *a, long n) {
  for (long i = 0;; i += 2) {
    if (a[i] == 7 || i >= n)
      return i;
    if (a[i + 1] == 7)
      return i + 1;
  }
}
