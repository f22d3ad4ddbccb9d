//===- std_future_wait_for_racy.cpp ---------------------------------------===//
//
// A future that is not ready after wait_for orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <chrono>
#include <cstdio>
#include <future>
#include <thread>

int X;

int main() {
  std::promise<void> Promise;
  auto Future = Promise.get_future();
  std::thread Thread([&Promise] {
    X = 1; // RACE 1
    done(1);
    await(2);
    Promise.set_value();
  });
  await(1);
  bool Ready = Future.wait_for(std::chrono::microseconds(1)) == std::future_status::ready;
  X = 2; // RACE 1
  done(2);
  Thread.join();
  std::printf("%d %d\ndone\n", X, Ready);
}
