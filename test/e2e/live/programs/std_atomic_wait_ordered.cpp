//===- std_atomic_wait_ordered.cpp ----------------------------------------===//
//
// atomic wait and notify: the load that sees the new value orders.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <atomic>
#include <cstdio>
#include <thread>

int X;
std::atomic<int> Flag;
std::atomic_flag Bit;
std::atomic<unsigned char> Small;

int main() {
  std::thread First([] {
    X = 1;
    Flag.store(1, std::memory_order_release);
    Flag.notify_one();
    Bit.wait(false, std::memory_order_acquire);
    X++;
    Small.store(7);
    Small.notify_all();
  });
  std::thread Second([] {
    Flag.wait(0, std::memory_order_acquire);
    X++;
    Bit.test_and_set(std::memory_order_release);
    Bit.notify_all();
    Small.wait(0);
    X++;
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
