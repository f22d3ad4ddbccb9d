// A site says where the access is: path that opens from anywhere, function, line and column.
// RUN: rm -rf %t && mkdir %t && cp %s %t/source.c && cd %t
// RUN: %clang-ir -O1 -g source.c | FileCheck %s
// RUN: %clang-ir -O1 -g0 source.c | FileCheck %s --check-prefix=WITHOUT

// CHECK: [[FILE:@pf_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"/{{.*}}/source.c\00", align 1
// CHECK: [[FUNCTION:@pf_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"twice\00"
// CHECK: [[SITE:@pf_site[.0-9]*]] = private constant {{.*}} { i32 trunc (i64 sub (i64 ptrtoint (ptr [[FILE]] to i64), i64 ptrtoint (ptr [[SITE]] to i64)) to i32),
// CHECK-SAME: i32 trunc (i64 sub (i64 ptrtoint (ptr [[FUNCTION]] to i64), i64 ptrtoint (ptr getelementptr inbounds ({{.*}}, ptr [[SITE]], i32 0, i32 1) to i64)) to i32),
// CHECK-SAME: i32 [[#@LINE+3]], i16 28, i8 4, i8 0, i32 0 }, section "pf_sites", align 4

// WITHOUT: @pf_string = private unnamed_addr constant {{.*}} c"source.c\00"
int twice(int *p) { return *p * 2; }
// WITHOUT: @pf_string.1 = private unnamed_addr constant {{.*}} c"twice\00"
// WITHOUT: @pf_site = {{.*}}, i32 0, i16 0, i8 4, i8 0, i32 0 }

// The same description once, however often it is needed; one of another size is another.
// WITHOUT-LABEL: @same(
// WITHOUT: call void @__pf_write4(ptr {{.*}}%p, ptr {{.*}}[[SAME:@pf_site[.0-9]*]])
// WITHOUT: call void @step
// WITHOUT: call void @__pf_write4(ptr {{.*}}%p, ptr {{.*}}[[SAME]])
// WITHOUT-NOT: ptr {{.*}}[[SAME]])
// WITHOUT: call void @__pf_write8(
void step(void);
void same(int *p, long *q) {
  *p = 1;
  step();
  *p = 2;
  *q = 3;
}
