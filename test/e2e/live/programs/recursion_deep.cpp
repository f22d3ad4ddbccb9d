//===- recursion_deep.cpp -------------------------------------------------===//
//
// Ten thousand frames, and the race at the end of them is found.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;
int Sum;

__attribute__((noinline)) static int recurse(int Depth) {
  if (Depth == 0)
    return X = 1; // RACE 1
  return 1 + recurse(Depth - 1) * Sum;
}

int main() {
  std::thread First([] {
    Sum += recurse(10000);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
