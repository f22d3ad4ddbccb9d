//===- std_latch_ordered.cpp ----------------------------------------------===//
//
// A latch orders those who count down before those who wait.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <latch>
#include <thread>

int X[3];

int main() {
  std::latch Latch(3);
  std::thread First([&Latch] {
    X[0] = 1;
    Latch.count_down();
  });
  std::thread Second([&Latch] {
    X[1] = 2;
    Latch.arrive_and_wait();
    X[0]++;
  });
  std::thread Third([&Latch] {
    Latch.arrive_and_wait();
    X[1]++;
  });
  First.join();
  Second.join();
  Third.join();
  std::printf("%d\ndone\n", X[0] + X[1]);
}
