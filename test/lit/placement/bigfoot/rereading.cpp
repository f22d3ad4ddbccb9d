// A pointer that is read in each iteration, as the compiler does not know that nothing changes it, is compared with
// that of the iterations before: while it stays the same, what is accessed through it is one range.
// RUN: %clangxx-ir %bigfoot -O2 -fno-unroll-loops -fno-vectorize %s | FileCheck %s

struct Bytes {
  unsigned char *Data;
  long Size;
};

// CHECK-LABEL: @_Z4copyR5BytesS0_l(
// The pointers themselves are the same memory in all iterations.
// CHECK-DAG: call void @__pf_read8(ptr {{.*}}%To,
// CHECK-DAG: call void @__pf_read8(ptr {{.*}}%From,
// CHECK: [[LOOP:.*]]:{{.*}}; preds =
// CHECK-DAG: %pf.run{{[0-9]*}} = phi i64 [ {{.*}} ], [ 0, %
// CHECK-DAG: %pf.base{{[0-9]*}} = phi ptr [ {{.*}} ], [ null, %
// CHECK: load ptr, ptr %From
// CHECK: load i8
// CHECK-NOT: call void @__pf
// CHECK: store i8
// CHECK: icmp {{eq|ne}} ptr
// When it has become another one: what was read so far, and now.
// CHECK: br i1 {{.*}}, label %{{.*}}, label %{{.*}}, !prof
// CHECK: call void @__pf_{{read|write}}_range(
// CHECK: call void @__pf_{{read|write}}1(
// CHECK: br i1 {{.*}}, label %[[LOOP]]
// CHECK-DAG: call void @__pf_read_range(
// CHECK-DAG: call void @__pf_write_range(
// CHECK: ret void
void copy(Bytes &To, Bytes &From, long n) {
  long i = 0;
  do
    To.Data[i] = From.Data[i];
  while (++i < n);
}

// Read three times in an iteration, and one range.
// CHECK-LABEL: @_Z4fillR5Bytesl(
// CHECK-COUNT-3: icmp {{eq|ne}} ptr
// CHECK: call void @__pf_write_range(
// CHECK-NOT: range(
// CHECK: br i1 {{.*}}, label
// CHECK: call void @__pf_write_range(
// CHECK-NOT: range(
// CHECK: {{^}$}}
void fill(Bytes &To, long n) {
  for (long i = 0; i < n; i++) {
    To.Data[3 * i] = 1;
    To.Data[3 * i + 1] = 2;
    To.Data[3 * i + 2] = 3;
  }
}

// A callee that only reads, and returns, does not matter.
__attribute__((noinline)) static unsigned mix(const unsigned char *Key, unsigned x) {
  for (int i = 0; i < 100; i++)
    x = x * 31 ^ Key[i];
  return x;
}
// CHECK-LABEL: @_Z6cipherR5BytesPKhl(
// CHECK: call {{.*}}@_ZL3mixPKhj(
// CHECK-NOT: call void @__pf_write
// CHECK: store i8
// CHECK: icmp {{eq|ne}} ptr
// CHECK: call void @__pf_write_range(
// CHECK: {{^}$}}
void cipher(Bytes &To, const unsigned char *Key, long n) {
  for (long i = 0; i < n; i++)
    To.Data[i] = (unsigned char)mix(Key, unsigned(i));
}

// One that may do anything at all, one that may not come back, one that may throw: checked before it, each time.
void anything();
// CHECK-LABEL: @_Z6unsureR5Bytesl(
// CHECK-NOT: pf.run
// CHECK: call void @__pf_write1(
// CHECK-NOT: range(
// CHECK: {{^}$}}
void unsure(Bytes &To, long n) {
  for (long i = 0; i < n; i++) {
    To.Data[i] = 1;
    anything();
  }
}

__attribute__((noinline)) static unsigned forever(const unsigned char *Key) {
  unsigned x = 0;
  while (Key[x])
    x = x * 5 + 1;
  return x;
}
// CHECK-LABEL: @_Z7endlessR5BytesPKhl(
// CHECK-NOT: pf.run
// CHECK: call void @__pf_write1(
// CHECK-NOT: range(
// CHECK: {{^}$}}
void endless(Bytes &To, const unsigned char *Key, long n) {
  for (long i = 0; i < n; i++)
    To.Data[i] = (unsigned char)forever(Key);
}

__attribute__((noinline)) static unsigned orThrow(unsigned x) {
  if (x == 1000)
    throw x;
  return x * 3;
}
// CHECK-LABEL: @_Z8throwingR5Bytesl(
// CHECK-NOT: pf.run
// CHECK: call void @__pf_write1(
// CHECK-NOT: range(
// CHECK: {{^}$}}
void throwing(Bytes &To, long n) {
  for (long i = 0; i < n; i++)
    To.Data[i] = (unsigned char)orThrow(unsigned(i));
}

__attribute__((noinline)) static void dropping(unsigned char *p) { delete p; }
// CHECK-LABEL: @_Z7freeingR5BytesPPhl(
// CHECK-NOT: pf.run
// CHECK: call void @__pf_write1(
// CHECK-NOT: range(
// CHECK: {{^}$}}
void freeing(Bytes &To, unsigned char **p, long n) {
  for (long i = 0; i < n; i++) {
    To.Data[i] = 1;
    dropping(p[i]);
  }
}

// Not in all iterations.
// CHECK-LABEL: @_Z5someRR5BytesPKhl(
// CHECK-NOT: pf.run
// CHECK: call void @__pf_write1(
// CHECK-NOT: write_range(
// CHECK: {{^}$}}
void someR(Bytes &To, const unsigned char *c, long n) {
  for (long i = 0; i < n; i++)
    if (c[i])
      To.Data[i] = 1;
}
