//===- std_atomic_float.cpp -----------------------------------------------===//
//
// Floating-point atomics add by compare-exchange and order.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <atomic>
#include <cstdio>
#include <thread>

int X;
std::atomic<float> Sum;
std::atomic<double> Flag;

int main() {
  std::thread First([] {
    X = 1;
    for (int I = 0; I < 100; I++)
      Sum.fetch_add(1.0F, std::memory_order_relaxed);
    Flag.fetch_add(1.0, std::memory_order_release);
  });
  std::thread Second([] {
    for (int I = 0; I < 100; I++)
      Sum += 1.0F;
    while (Flag.load(std::memory_order_acquire) == 0)
      ;
    X++;
  });
  First.join();
  Second.join();
  std::printf("%d %.0f\ndone\n", X, static_cast<double>(Sum));
}
