//===- static_guard_ordered.cpp -------------------------------------------===//
//
// A static local variable is initialised before everybody who uses it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <thread>
#include <vector>

struct Table {
  int Values[100];
  Table() {
    for (int I = 0; I < 100; I++)
      Values[I] = I;
  }
};

static const Table &table() {
  static Table The;
  return The;
}

int Sums[8];

int main() {
  std::vector<std::thread> Threads;
  for (int I = 0; I < 8; I++)
    Threads.emplace_back([I] {
      for (int Value : table().Values)
        Sums[I] += Value;
    });
  for (auto &Thread : Threads)
    Thread.join();
  std::printf("%d\ndone\n", Sums[0] + Sums[7]);
}
