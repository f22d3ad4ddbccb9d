// The optimizer must not invent reads, nor move an access to where the program has none, before it is checked:
// other threads may well write there when this one does not look.
// RUN: %clangxx-ir -O1 %s | FileCheck %s
// RUN: %clangxx-ir -O2 %s | FileCheck %s
// RUN: %clangxx-ir -O3 %s | FileCheck %s
// RUN: %clangxx-ir -Os %s | FileCheck %s

int First, Second, Counter;

// One of two.
// CHECK-LABEL: @_Z6chooseb(
// CHECK-COUNT-1: call void @__pf_read4(
// CHECK-NOT: call void @__pf_read4(
// CHECK: ret i32
int choose(bool C) { return *(C ? &First : &Second); }

// CHECK-LABEL: @_Z9referencebRiS_(
// CHECK-COUNT-1: call void @__pf_read4(
// CHECK-NOT: call void @__pf_read4(
// CHECK: ret i32
int reference(bool C, int &A, int &B) { return C ? A : B; }

struct Pair {
  int A, B;
};

// CHECK-LABEL: @_Z6memberbR4PairS0_(
// CHECK-COUNT-1: call void @__pf_read4(
// CHECK-NOT: call void @__pf_read4(
// CHECK: ret i32
int member(bool C, Pair &P, Pair &Q) {
  Pair &Chosen = C ? P : Q;
  return Chosen.B;
}

// A variable or a local.
// CHECK-LABEL: @_Z5localb(
// CHECK: [[CHOSEN:%.*]] = select i1 %C, ptr %Local, ptr @First
// CHECK: call void @__pf_read4(ptr {{.*}}[[CHOSEN]],
// CHECK-NOT: call void @__pf_read4(
// CHECK: ret i32
int local(bool C) {
  int Local = 5;
  int *P = C ? &Local : &First;
  return *P;
}

// In a loop that may never come to it.
// CHECK-LABEL: @_Z5countPKii(
// CHECK: entry:
// CHECK-NOT: @Counter
// CHECK: icmp slt i32 {{.*}}, 0
// CHECK: call void @__pf_read4(ptr {{.*}}@Counter,
// CHECK: call void @__pf_write4(ptr {{.*}}@Counter,
// CHECK-NEXT: store i32 {{.*}}, ptr @Counter
void count(const int *Values, int N) {
  for (int I = 0; I < N; ++I)
    if (Values[I] < 0)
      ++Counter;
}

// In the caller of the function that may read.
// CHECK-LABEL: @_Z6callerbRi(
// CHECK-NOT: call void @__pf_read4(
// CHECK: ret i32
[[gnu::noinline]] static int callee(bool C, const int &A) { return C ? A + 1 : 3; }
int caller(bool C, int &A) { return callee(C, A) * 2; }
