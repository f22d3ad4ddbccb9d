// Where an exception is caught or cleaned up after, the functions above have left without a word: the frame
// takes its place again. A function that an exception passes through gives its frame back.
// RUN: %clangxx-ir -O0 %s | FileCheck %s
// RUN: %clangxx-ir -O2 %s | FileCheck %s
// RUN: %clangxx-ir -O2 -g %s | FileCheck %s

void mayThrow();
struct Guard {
  ~Guard();
};

// CHECK-LABEL: @_Z7cleanupv(
// CHECK: [[SAVED:%pf_frame[0-9]*]] = load ptr
// CHECK: [[ABOVE:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 16
// CHECK: invoke void @_Z8mayThrowv
// CHECK: landingpad
// CHECK-NEXT: cleanup
// CHECK: store volatile ptr [[ABOVE]], ptr
// CHECK: call void @_ZN5GuardD1Ev(
// CHECK: store volatile ptr [[SAVED]], ptr
// CHECK-NEXT: resume
void cleanup() {
  Guard G;
  mayThrow();
}

// CHECK-LABEL: @_Z7catchesv(
// CHECK: [[SAVED:%pf_frame[0-9]*]] = load ptr
// CHECK: [[ABOVE:%.*]] = getelementptr inbounds i8, ptr [[SAVED]], i64 16
// CHECK: landingpad
// CHECK-NEXT: catch ptr null
// CHECK: store volatile ptr [[ABOVE]], ptr
// CHECK: call ptr @__cxa_begin_catch
int catches() {
  try {
    mayThrow();
  } catch (...) {
    return 1;
  }
  return 0;
}
