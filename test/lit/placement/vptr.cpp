// The pointer to a virtual table has entry points of its own, without optimization too; what a virtual table
// contains is constant.
// RUN: %clangxx-ir -O0 %s | FileCheck %s
// RUN: %clangxx-ir -O2 %s | FileCheck %s

struct Shape;
void use(Shape *);

struct Shape {
  virtual ~Shape();
  virtual int area();
};

// CHECK-LABEL: @_Z4callP5Shape(
// CHECK: call void @__pf_vptr_read(ptr {{.*}}[[OBJECT:%[[:alnum:]._]+]], ptr {{.*}}@pf_site
// CHECK-NEXT: [[TABLE:%.*]] = load ptr, ptr [[OBJECT]]
// CHECK-NOT: @__pf_read
// CHECK: [[SLOT:%.*]] = getelementptr inbounds {{.*}} [[TABLE]], i64
// CHECK-NEXT: [[FUNCTION:%.*]] = load ptr, ptr [[SLOT]]
// CHECK: call noundef i32 [[FUNCTION]](
int call(Shape *S) { return S->area(); }

// CHECK-LABEL: @_ZN5ShapeD2Ev(
// CHECK: call void @__pf_vptr_write(ptr {{.*}}[[OBJECT:%[[:alnum:]._]+]], ptr {{.*}}@_ZTV5Shape{{.*}}, ptr {{.*}}@pf_site
// CHECK-NEXT: store ptr {{.*}}@_ZTV5Shape{{.*}}, ptr [[OBJECT]]
Shape::~Shape() { use(this); }
