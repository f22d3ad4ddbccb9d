//===- exception_stack.cpp ------------------------------------------------===//
//
// After an exception has crossed frames, stacks are still right.
//
//===----------------------------------------------------------------------===//

// STACK: afterwards, catches

#include "invisible.h"
#include <cstdio>
#include <stdexcept>
#include <thread>

int X;
int Sum;

struct Cleanup {
  ~Cleanup() { Sum++; }
};

__attribute__((noinline)) static void throws(int Depth) {
  Cleanup Clean;
  if (Depth == 0)
    throw std::runtime_error("up");
  throws(Depth - 1);
  Sum += 100;
}

__attribute__((noinline)) static void afterwards() {
  X = 1; // RACE 1
  Sum++;
}

__attribute__((noinline)) static void catches() {
  try {
    throws(5);
  } catch (const std::runtime_error &) {
    Sum++;
  }
  afterwards();
  Sum++;
}

int main() {
  std::thread First([] {
    catches();
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Sum);
}
