//===- std_atomic_ref.cpp -------------------------------------------------===//
//
// atomic_ref makes accesses to a plain object atomic.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <atomic>
#include <cstdio>
#include <thread>

int Counter;
int X;

int main() {
  auto Work = [] {
    for (int I = 0; I < 100; I++)
      std::atomic_ref(Counter).fetch_add(1, std::memory_order_acq_rel);
  };
  std::thread First([Work] {
    X = 1;
    Work();
  });
  std::thread Second([Work] {
    Work();
    while (std::atomic_ref(Counter).load(std::memory_order_acquire) < 200)
      ;
    X++;
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", Counter, X);
}
