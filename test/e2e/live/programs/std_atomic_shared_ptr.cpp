//===- std_atomic_shared_ptr.cpp ------------------------------------------===//
//
// A pointer published through atomic<shared_ptr> is ordered. (The other way round, a store after a
// load, is a race inside libstdc++ 12: its load unlocks with relaxed order.)
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

int Sum;
std::atomic<std::shared_ptr<int>> Shared;

int main() {
  std::thread First([] {
    Shared.store(std::make_shared<int>(5));
    done(1);
  });
  std::thread Second([] {
    await(1);
    Sum = *Shared.load();
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", Sum);
}
