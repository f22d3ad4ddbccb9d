//===- uninstrumented_caller_racy.cpp -------------------------------------===//
//
// A race behind a call through code that is not instrumented.
//
//===----------------------------------------------------------------------===//

// WITH: calls_back.cpp -fno-photofinish

#include "invisible.h"
#include <cstdio>
#include <thread>

void callBack(void (*Function)(int *), int *Argument);
int X;

static void touch(int *Place) {
  *Place = 1; // RACE 1
}

int main() {
  std::thread First([] {
    callBack(touch, &X);
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
