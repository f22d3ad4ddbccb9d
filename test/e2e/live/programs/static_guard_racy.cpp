//===- static_guard_racy.cpp ----------------------------------------------===//
//
// A static's initialisation is ordered, what follows it is not.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

__attribute__((noinline)) static int compute() { return 5; }

static int &counter() {
  static int The = compute();
  return The;
}

int main() {
  std::thread First([] {
    counter() = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    counter() = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", counter());
}
