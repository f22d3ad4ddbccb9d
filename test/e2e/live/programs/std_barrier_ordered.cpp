//===- std_barrier_ordered.cpp --------------------------------------------===//
//
// std::barrier orders its phases and their completion.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

int X[3];
int Total;

int main() {
  std::barrier Barrier(3, []() noexcept { Total += X[0] + X[1] + X[2]; });
  std::vector<std::thread> Threads;
  for (int I = 0; I < 3; I++)
    Threads.emplace_back([I, &Barrier] {
      for (int Round = 0; Round < 20; Round++) {
        X[I]++;
        Barrier.arrive_and_wait();
        X[I] += Total & 1;
        Barrier.arrive_and_wait();
      }
    });
  for (auto &Thread : Threads)
    Thread.join();
  std::printf("%d\ndone\n", Total > 0);
}
