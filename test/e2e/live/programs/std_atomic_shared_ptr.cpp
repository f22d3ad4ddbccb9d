//===- std_atomic_shared_ptr.cpp ------------------------------------------===//
//
// A pointer published through atomic<shared_ptr> is ordered.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

int Sum;
std::atomic<std::shared_ptr<int>> Shared;

int main() {
  std::thread First([] { Shared.store(std::make_shared<int>(5)); });
  std::thread Second([] {
    std::shared_ptr<int> Mine;
    while (!(Mine = Shared.load()))
      ;
    Sum = *Mine;
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", Sum);
}
