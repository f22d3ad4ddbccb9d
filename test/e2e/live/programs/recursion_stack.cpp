//===- recursion_stack.cpp ------------------------------------------------===//
//
// The stack of a race deep in a recursion is there, frame by frame.
//
//===----------------------------------------------------------------------===//

// STACK: recurse, recurse, recurse, recurse, recurse, recurse, starts

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

__attribute__((noinline)) static void starts() { Sum += recurse(5); }

int main() {
  std::thread First([] {
    starts();
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
