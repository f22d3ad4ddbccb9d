//===- static_linking.cpp -------------------------------------------------===//
//
// A statically linked program has its races found.
//
//===----------------------------------------------------------------------===//

// FLAGS: -static
// MUST-SHOW-3

#include "invisible.h"
#include <cstdio>
#include <mutex>
#include <thread>

int X, Y;
std::mutex Mutex;

int main() {
  std::thread First([] {
    X = 1; // RACE 1
    done(1);
    std::lock_guard Guard(Mutex);
    Y++;
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
    std::lock_guard Guard(Mutex);
    Y++;
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Y);
}
