//===- std_promise_ordered.cpp --------------------------------------------===//
//
// A promise orders before its future, and before all shared ones.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <future>
#include <thread>

int X;
int Seen[2];

int main() {
  std::promise<int> Promise;
  std::shared_future<int> Future = Promise.get_future().share();
  std::thread First([Future] { Seen[0] = Future.get() + X; });
  std::thread Second([Future] { Seen[1] = Future.get() + X; });
  X = 1;
  Promise.set_value(5);
  First.join();
  Second.join();
  std::printf("%d\ndone\n", Seen[0] + Seen[1]);
}
