// A bit-field is accessed with its storage unit.
// RUN: %clang-ir -O0 %s | FileCheck %s
// RUN: %clang-ir -O2 %s | FileCheck %s

struct Flags {
  unsigned a : 3, b : 7;
  unsigned : 0;
  unsigned c : 20;
};

// CHECK-LABEL: @set(
// CHECK: call void @__pf_read2(ptr {{.*}}[[UNIT:%[[:alnum:].]+]], ptr
// CHECK-NEXT: load i16, ptr [[UNIT]]
// CHECK: call void @__pf_write2(ptr {{.*}}[[UNIT2:%[[:alnum:].]+]], ptr
// CHECK-NEXT: store i16 {{.*}}, ptr [[UNIT2]]
void set(struct Flags *f) { f->b = 5; }

// CHECK-LABEL: @get(
// CHECK: %c = getelementptr inbounds {{.*}}%{{.*}}, {{i64 4|i32 0, i32 1}}
// CHECK: call void @__pf_read4(ptr {{.*}}%c, ptr
unsigned get(struct Flags *f) { return f->c; }
