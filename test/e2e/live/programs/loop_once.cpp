//===- loop_once.cpp ------------------------------------------------------===//
//
// A racy loop is one report per pair of places, not one per element.
//
//===----------------------------------------------------------------------===//

// COUNT: 1

#include "invisible.h"
#include <cstdio>
#include <thread>

int X[100];

__attribute__((noinline)) static void fill(int Value) {
  for (int &Element : X)
    Element = Value; // RACE 1
}

int main() {
  std::thread First([] {
    fill(1);
    done(1);
  });
  std::thread Second([] {
    await(1);
    fill(2);
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X[99]);
}
