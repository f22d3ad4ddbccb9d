//===- std_call_once_ordered.cpp ------------------------------------------===//
//
// call_once orders the call that worked; one that throws is tried again.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int X;
int Seen[4];
std::once_flag Flag;

int main() {
  try {
    std::call_once(Flag, [] { throw std::runtime_error("not now"); });
  } catch (const std::runtime_error &) {
    X = 1;
  }
  std::vector<std::thread> Threads;
  for (int &Mine : Seen)
    Threads.emplace_back([&Mine] {
      std::call_once(Flag, [] { X += 5; });
      Mine = X;
    });
  for (auto &Thread : Threads)
    Thread.join();
  std::printf("%d\ndone\n", X + Seen[0] + Seen[3]);
}
