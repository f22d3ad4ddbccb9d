//===- coroutine_racy.cpp -------------------------------------------------===//
//
// A race in the body of a coroutine.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <coroutine>
#include <cstdio>
#include <thread>

int X;

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};

static Task body(int Value) {
  co_await std::suspend_always();
  X = Value; // RACE 1
}

int main() {
  Task Coroutine = body(1);
  std::thread First([&Coroutine] {
    Coroutine.Handle.resume();
    Coroutine.Handle.resume();
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  Coroutine.Handle.destroy();
  std::printf("%d\ndone\n", X);
}
