//===- std_thread_ordered.cpp ---------------------------------------------===//
//
// std::thread orders its construction, its function and its join.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

int X;

int main() {
  std::vector<std::thread> Threads;
  std::vector<int> Results(4);
  X = 1;
  auto Owned = std::make_unique<int>(5);
  for (int I = 0; I < 4; I++)
    Threads.emplace_back([I, &Results] { Results[I] = X + I; });
  for (auto &Thread : Threads)
    Thread.join();
  std::thread([Given = std::move(Owned)] { X += *Given; }).join();
  X += Results[3];
  std::printf("%d\ndone\n", X);
}
