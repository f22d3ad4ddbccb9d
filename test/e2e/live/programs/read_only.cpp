//===- read_only.cpp ------------------------------------------------------===//
//
// Any number of readers is no race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <thread>
#include <vector>

int Table[256];
int Sums[8];

int main() {
  for (int I = 0; I < 256; I++)
    Table[I] = I;
  std::vector<std::thread> Threads;
  for (int I = 0; I < 8; I++)
    Threads.emplace_back([I] {
      for (int Value : Table)
        Sums[I] += Value;
    });
  for (auto &Thread : Threads)
    Thread.join();
  std::printf("%d\ndone\n", Sums[0] + Sums[7]);
}
