//===- no_sanitize_function.cpp -------------------------------------------===//
//
// Functions that ask not to be checked are not.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <cstdio>
#include <thread>

int X, Y;

__attribute__((no_sanitize("thread"), noinline)) static void unchecked(int Value) { X = Value; }

__attribute__((disable_sanitizer_instrumentation, noinline)) static void uninstrumented(int Value) {
  Y = Value;
}

int main() {
  std::thread First([] {
    unchecked(1);
    uninstrumented(1);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2;
    Y = 2;
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Y);
}
