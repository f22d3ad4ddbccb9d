// An access in a function that was inlined has the site of the call behind it, and so on outwards. Names are
// mangled, where the language does that.
// RUN: %clangxx-ir -O2 -g %s | FileCheck %s

// CHECK-DAG: [[INNER:@pf_string[.0-9]*]] = {{.*}} c"_ZL5innerRi\00"
// CHECK-DAG: [[MIDDLE:@pf_string[.0-9]*]] = {{.*}} c"_ZL6middleRi\00"
// CHECK-DAG: [[OUTER:@pf_string[.0-9]*]] = {{.*}} c"_Z5outerRi\00"

// CHECK-DAG: [[OUTERSITE:@pf_site[.0-9]*]] = {{.*}}[[OUTER]] to i64{{.*}}, i32 [[#@LINE+7]], i16 22, i8 0, i8 8, i32 0 }
// CHECK-DAG: [[MIDDLESITE:@pf_site[.0-9]*]] = {{.*}}[[MIDDLE]] to i64{{.*}}, i32 [[#@LINE+5]], i16 30, i8 0, i8 8, i32 trunc (i64 sub (i64 ptrtoint (ptr [[OUTERSITE]] to i64), i64 ptrtoint (ptr getelementptr inbounds ({{.*}}, ptr [[MIDDLESITE]], i32 0, i32 6) to i64)) to i32) }
// CHECK-DAG: [[INNERSITE:@pf_site[.0-9]*]] = {{.*}}[[INNER]] to i64{{.*}}, i32 [[#@LINE+3]], i16 31, i8 4, i8 1, i32 trunc (i64 sub (i64 ptrtoint (ptr [[MIDDLESITE]] to i64)

// CHECK: call void @__pf_write4(ptr {{.*}}, ptr {{.*}}[[INNERSITE]])
static void inner(int &X) { X = 7; }
static void middle(int &X) { inner(X); }
void outer(int &X) { middle(X); }
