//===- coroutine_ordered.cpp ----------------------------------------------===//
//
// A coroutine that moves from thread to thread, one after the other.
//
//===----------------------------------------------------------------------===//

// NO RACE

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

static Task body(int Rounds) {
  int Local = 0;
  for (int I = 0; I < Rounds; I++) {
    X += ++Local;
    co_await std::suspend_always();
  }
}

int main() {
  Task Coroutine = body(5);
  while (!Coroutine.Handle.done())
    std::thread([&Coroutine] { Coroutine.Handle.resume(); }).join();
  Coroutine.Handle.destroy();
  std::printf("%d\ndone\n", X);
}
