//===- std_atomic_wait_racy.cpp -------------------------------------------===//
//
// A relaxed atomic wait orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <atomic>
#include <cstdio>
#include <thread>

int X;
std::atomic<int> Flag;

int main() {
  std::thread First([] {
    X = 1; // RACE 1
    Flag.store(1, std::memory_order_release);
    Flag.notify_one();
    done(1);
  });
  std::thread Second([] {
    await(1);
    Flag.wait(0, std::memory_order_relaxed);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
