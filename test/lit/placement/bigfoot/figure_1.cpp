// bigfoot.txt, Figure 1: the checks of an object's fields come together at the end, and those of an array become
// one of a range behind the loop.
// RUN: %clangxx-ir %bigfoot -O1 %s | FileCheck %s

struct Point {
  int x, y, z;
  void move(int dx, int dy, int dz);
};

// Twelve bytes that are written, in three accesses of four.
// CHECK: @pf_group = private constant {{.*}} { i64 0, i64 4095, i8 0, i8 0, i16 3, i32 0, {{.*}} i16 0, i8 4, i8 1, {{.*}} i16 4, i8 4, i8 1, {{.*}} i16 8, i8 4, i8 1,
// CHECK-LABEL: @_ZN5Point4moveEiii(
// CHECK-NOT: call void @__pf_{{read|write|check}}
// CHECK: store i32 {{.*}}, ptr %z
// CHECK-NEXT: call void @__pf_check_group(ptr {{.*}}%this, ptr {{.*}}[[XYZ:@pf_group]])
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: ret void
void Point::move(int dx, int dy, int dz) {
  x += dx;
  y += dy;
  z += dz;
}

// The points are anywhere: each is checked in its iteration. That they are read from the array is checked at the end.
// CHECK-LABEL: @_Z7movePtsPP5Pointll(
// CHECK: [[POINT:%.*]] = load ptr, ptr %arrayidx
// CHECK-NOT: call void @__pf_read
// CHECK: call void @__pf_check_group(ptr {{.*}}[[POINT]],
// CHECK-NOT: call void @__pf_read
// CHECK: br i1
// CHECK: call void @__pf_read_range(ptr {{.*}}, i64 {{.*}}, ptr
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: {{^}$}}
void movePts(Point **a, long lo, long hi) {
  for (long i = lo; i < hi; i++) {
    a[i]->x += 1;
    a[i]->y += 1;
    a[i]->z += 1;
  }
}
