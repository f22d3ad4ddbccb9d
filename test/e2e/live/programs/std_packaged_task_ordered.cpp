//===- std_packaged_task_ordered.cpp --------------------------------------===//
//
// A packaged task's result is ordered after the task.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <future>
#include <thread>

int X;

int main() {
  std::packaged_task<int(int)> Task([](int Value) {
    X = Value;
    return Value + 1;
  });
  auto Future = Task.get_future();
  std::thread Thread(std::move(Task), 5);
  Future.wait();
  X += Future.get();
  Thread.join();
  std::printf("%d\ndone\n", X);
}
