//===- exception_in_cleanup.cpp -------------------------------------------===//
//
// A destructor that runs while an exception passes has a stack of its own.
//
//===----------------------------------------------------------------------===//

// STACK: Cleanup::~Cleanup, passes, catches

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;
int Sum;

struct Cleanup {
  __attribute__((noinline)) ~Cleanup() {
    X = 1; // RACE 1
    Sum++;
  }
};

__attribute__((noinline)) static void throws(int Depth) {
  if (Depth == 0)
    throw 5;
  throws(Depth - 1);
  Sum++;
}

__attribute__((noinline)) static void passes() {
  Cleanup Clean;
  throws(3);
  Sum++;
}

__attribute__((noinline)) static void catches() {
  try {
    passes();
  } catch (int Value) {
    Sum += Value;
  }
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
