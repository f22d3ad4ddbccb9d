// A coroutine is instrumented when it has been split: its ramp, its resumption and its destruction are functions
// with frames of their own.
// RUN: %clangxx-ir -O0 %s | FileCheck %s
// RUN: %clangxx-ir -O2 %s | FileCheck %s
// RUN: %clangxx-ir -Os -g %s | FileCheck %s
#include <coroutine>

void keep(std::coroutine_handle<>);

struct Task {
  struct promise_type {
    Task get_return_object() {
      keep(std::coroutine_handle<promise_type>::from_promise(*this));
      return {};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

int Shared;
struct Noise {
  Noise();
  ~Noise();
};

// CHECK-LABEL: define {{.*}}@_Z4taskv(
// CHECK: %pf_frame{{[0-9]*}} = load ptr
Task task() {
  Noise N;
  co_await std::suspend_always();
  Shared = 42;
}

// CHECK-LABEL: define {{.*}}@_Z4taskv.resume(
// CHECK: %pf_frame{{[0-9]*}} = load ptr
// CHECK: call void @__pf_write4(ptr {{.*}}@Shared, ptr
// CHECK-NEXT: store i32 42, ptr @Shared
// CHECK-LABEL: define {{.*}}@_Z4taskv.destroy(
// CHECK: %pf_frame{{[0-9]*}} = load ptr
