//===- std_shared_ptr_ordered.cpp -----------------------------------------===//
//
// The last owner of a shared object destroys it, ordered after the others.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Tracked {
  int Values[4] = {1, 2, 3, 4};
  int Seen = 0;
  ~Tracked() { Values[0] = Seen = 0; }
};

int Sums[4];

int main() {
  std::vector<std::thread> Threads;
  {
    auto Shared = std::make_shared<Tracked>();
    for (int I = 0; I < 4; I++)
      Threads.emplace_back([Shared, I]() mutable {
        Sums[I] = Shared->Values[I];
        Shared.reset();
      });
  }
  for (auto &Thread : Threads)
    Thread.join();
  std::printf("%d\ndone\n", Sums[0] + Sums[3]);
}
