//===- uninstrumented_throw.cpp -------------------------------------------===//
//
// An exception that passes code that is not instrumented leaves stacks right.
//
//===----------------------------------------------------------------------===//

// WITH: calls_back.cpp -fno-photofinish -fexceptions
// STACK: afterwards, catches

#include "invisible.h"
#include <cstdio>
#include <thread>

void callBack(void (*Function)(int *), int *Argument);
int X, Sum;

__attribute__((noinline)) static void throws(int *Place) {
  if (*Place == 0)
    throw 1;
  Sum++;
}

__attribute__((noinline)) static void afterwards() {
  X = 1; // RACE 1
  Sum++;
}

__attribute__((noinline)) static void catches() {
  try {
    callBack(throws, &Sum);
  } catch (int Value) {
    Sum += Value;
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
