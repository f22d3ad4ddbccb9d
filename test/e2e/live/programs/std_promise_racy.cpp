//===- std_promise_racy.cpp -----------------------------------------------===//
//
// What is done after set_value is not ordered with the future.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <future>
#include <thread>

int X;

int main() {
  std::promise<int> Promise;
  auto Future = Promise.get_future();
  std::thread Thread([&Promise] {
    Promise.set_value(5);
    X = 1; // RACE 1
    done(1);
  });
  int Value = Future.get();
  await(1);
  X = Value; // RACE 1
  Thread.join();
  std::printf("%d\ndone\n", X);
}
