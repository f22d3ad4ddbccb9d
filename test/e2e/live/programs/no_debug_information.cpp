//===- no_debug_information.cpp -------------------------------------------===//
//
// Without debug information a race is still reported, with its functions.
//
//===----------------------------------------------------------------------===//

// NO RACE
// FLAGS: -g0

#include <cstdio>
#include <thread>

int X;

int main() {
  std::thread Thread([] { X = 1; });
  Thread.join();
  std::printf("%d\ndone\n", X);
}
