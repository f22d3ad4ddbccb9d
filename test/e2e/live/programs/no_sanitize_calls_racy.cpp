//===- no_sanitize_calls_racy.cpp -----------------------------------------===//
//
// A checked function that is called by an unchecked one is still checked.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;

__attribute__((noinline)) static void checked(int Value) {
  X = Value; // RACE 1
}

__attribute__((no_sanitize("thread"), noinline)) static void unchecked(int Value) {
  checked(Value);
}

int main() {
  std::thread First([] {
    unchecked(1);
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
