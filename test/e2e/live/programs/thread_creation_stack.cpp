//===- thread_creation_stack.cpp ------------------------------------------===//
//
// The report shows where each thread was created.
//
//===----------------------------------------------------------------------===//

// STDERR: makeFirst
// STDERR: makeSecond

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;

__attribute__((noinline)) static std::thread makeFirst() {
  return std::thread([] {
    X = 1; // RACE 1
    done(1);
  });
}

__attribute__((noinline)) static std::thread makeSecond() {
  return std::thread([] {
    await(1);
    X = 2; // RACE 1
  });
}

int main() {
  std::thread First = makeFirst(), Second = makeSecond();
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
