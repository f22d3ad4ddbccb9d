//===- inlined_racy.cpp ---------------------------------------------------===//
//
// A race in an inlined function is reported at its exact line, and its caller is there.
//
//===----------------------------------------------------------------------===//

// STACK: innermost, middle, outermost

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;

__attribute__((always_inline)) static inline void innermost(int Value) {
  X = Value; // RACE 1
}

__attribute__((always_inline)) static inline void middle(int Value) { innermost(Value + 1); }

__attribute__((noinline)) static void outermost() { middle(1); }

int main() {
  std::thread First([] {
    outermost();
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 5; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
