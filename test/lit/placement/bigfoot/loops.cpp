// What becomes of accesses in loops.
// RUN: %clangxx-ir %bigfoot -O1 -fno-unroll-loops %s | FileCheck %s

// Both directions: a range from the lowest element on.
// CHECK-LABEL: @_Z4downPili(
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: store i32
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: call void @__pf_write_range(ptr {{.*}}, i64 {{%.*}}, ptr
void down(int *a, long n, int x) {
  for (long i = n - 1; i >= 0; i--)
    a[i] = x;
}

// A stride.
// CHECK-LABEL: @_Z5everyPili(
// CHECK: store i32
// CHECK: call void @__pf_write_strided(ptr {{.*}}%a, i64 4, i64 12, i64 {{%.*}}, ptr
void every(int *a, long n, int x) {
  for (long i = 0; i < n; i += 3)
    a[i] = x;
}

// One that only the program knows.
// CHECK-LABEL: @_Z6columnPilli(
// CHECK: store i32
// CHECK: [[STRIDE:%.*]] = shl {{.*}}i64 %width, 2
// CHECK: call void @__pf_write_strided(ptr {{.*}}%a, i64 4, i64 [[STRIDE]], i64 {{%.*}}, ptr
void column(int *a, long n, long width, int x) {
  for (long i = 0; i < n; i++)
    a[i * width] = x;
}

// Rows that join are one range.
// CHECK-LABEL: @_Z5joinsPA100_il(
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: [[BYTES:%.*]] = mul {{.*}}i64 %n, 400
// CHECK: call void @__pf_write_range(ptr {{.*}}%a, i64 [[BYTES]], ptr
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: store i32
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: {{^}$}}
void joins(int (*a)[100], long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 100; j++)
      a[i][j] = int(j);
}

// Those that do not, one for each.
// CHECK-LABEL: @_Z4partPA100_il(
// CHECK-NOT: call void @__pf_write4
// CHECK: call void @__pf_write_range(ptr {{.*}}, i64 200, ptr
// CHECK-NOT: call void @__pf_write4
// CHECK: {{^}$}}
void part(int (*a)[100], long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 50; j++)
      a[i][j] = int(j);
}

// A triangle: the length is another in each row.
// CHECK-LABEL: @_Z8trianglePA100_il(
// CHECK-NOT: call void @__pf_write4
// CHECK: call void @__pf_write_range(ptr {{.*}}, i64 {{%.*}}, ptr
// CHECK-NOT: call void @__pf_write4
// CHECK: {{^}$}}
void triangle(int (*a)[100], long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      a[i][j] = int(j);
}

// A loop that is left early: as far as it came, with the element at which it was left.
// CHECK-LABEL: @_Z4findPKlll(
// CHECK: [[I:%.*]] = phi i64
// CHECK-NOT: call void @__pf_read
// CHECK: [[BEFORE:%.*]] = shl {{.*}}i64 [[I]], 3
// CHECK: [[EARLY:%.*]] = add {{.*}}i64 [[BEFORE]], 8
// CHECK: [[ALL:%.*]] = shl {{.*}}i64 %n, 3
// CHECK: [[BYTES:%.*]] = phi i64 [ [[ALL]], {{.*}} ], [ [[EARLY]], {{.*}} ]
// CHECK: call void @__pf_read_range(ptr {{.*}}%a, i64 [[BYTES]], ptr
// CHECK-NOT: call void @__pf_read
// CHECK: ret i64
long find(const long *a, long n, long key) {
  for (long i = 0; i < n; i++)
    if (a[i] == key)
      return i;
  return -1;
}

// And without it, if it was left before.
// CHECK-LABEL: @_Z6beforePKlPVcl(
// CHECK: [[I:%.*]] = phi i64
// CHECK: load volatile i8
// CHECK-NOT: call void @__pf_read
// CHECK: [[COUNT:%.*]] = phi i64 [ [[I]], %for.body ], [ %n, %{{.*}} ]
// CHECK: [[BYTES:%.*]] = shl {{.*}}i64 [[COUNT]], 3
// CHECK: call void @__pf_read_range(ptr {{.*}}%a, i64 [[BYTES]], ptr
// CHECK-NOT: call void @__pf_read
// CHECK: ret i64
long before(const long *a, volatile char *stop, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    if (*stop)
      break;
    sum += a[i];
  }
  return sum;
}

// What is not accessed each time is checked where it is.
// CHECK-LABEL: @_Z11conditionalPiPKhii(
// CHECK: load i8
// CHECK: store i32
// CHECK-NEXT: call void @__pf_write4(
// CHECK-NOT: call void @__pf_write
// CHECK: call void @__pf_read_range(ptr {{.*}}%wanted,
// CHECK-NOT: call void @__pf_write
// CHECK: {{^}$}}
void conditional(int *a, const unsigned char *wanted, int n, int x) {
  for (int i = 0; i < n; i++)
    if (wanted[i])
      a[i] = x;
}

struct List {
  List *next;
};

// A loop that may never end: its checks do not wait. One that is the same each time comes before the first.
// CHECK-LABEL: @_Z4walkP4ListPi(
// CHECK: call void @__pf_write4(ptr {{.*}}%count,
// CHECK: phi ptr
// CHECK-NOT: call void @__pf_write4
// CHECK: store i32 {{.*}}, ptr %count
// CHECK-NEXT: call void @__pf_read8(ptr {{.*}}[[NODE:%.*]], ptr
// CHECK-NEXT: load ptr, ptr [[NODE]]
// CHECK-NOT: call void @__pf_{{read|write}}
// CHECK: ret void
void walk(List *list, int *count) {
  for (; list; list = list->next)
    ++*count;
}

// A loop that synchronizes: checked inside.
// CHECK-LABEL: @_Z12synchronizesPiPU7_Atomicili(
// CHECK: store i32 %x, ptr [[P:%.*]], align
// CHECK: call void @__pf_write4(ptr {{.*}}[[P]],
// CHECK: store atomic
void synchronizes(int *a, _Atomic int *lock, long n, int x) {
  for (long i = 0; i < n; i++) {
    a[i] = x;
    __c11_atomic_store(lock, 1, __ATOMIC_RELEASE);
  }
}

// A few iterations are not worth a range.
// CHECK-LABEL: @_Z3fewPi(
// CHECK-NOT: call void @__pf_write_range
// CHECK: call void @__pf_write4(
// CHECK-NOT: call void @__pf_write_range
void few(int *a) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < 8; i++)
    a[i] = i;
}

// What is pending is checked before a loop that would check it in each of its iterations.
// CHECK-LABEL: @_Z6numberPiP4Node(
// CHECK: store i32 0, ptr %total
// CHECK: call void @__pf_write4(ptr {{.*}}%total
// CHECK: phi ptr
// CHECK-NOT: %total
// CHECK: label %for.end, label %for.body
struct Node {
  int value;
  Node *next;
};
void number(int *total, Node *n) {
  *total = 0;
  for (; n; n = n->next)
    n->value = 1;
}
