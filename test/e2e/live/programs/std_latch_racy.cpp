//===- std_latch_racy.cpp -------------------------------------------------===//
//
// Counting down does not order with others who count down.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <latch>
#include <thread>

int X;

int main() {
  std::latch Latch(2);
  std::thread First([&Latch] {
    Latch.count_down();
    X = 1; // RACE 1
    done(1);
  });
  std::thread Second([&Latch] {
    await(1);
    Latch.arrive_and_wait();
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
