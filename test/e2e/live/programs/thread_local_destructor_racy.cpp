//===- thread_local_destructor_racy.cpp -----------------------------------===//
//
// A destructor of a thread_local object races like anything else.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;

struct Counter {
  int Value = 0;
  ~Counter() {
    X = Value; // RACE 1
    done(1);
  }
};

thread_local Counter Mine;

int main() {
  std::thread Thread([] { Mine.Value = 5; });
  await(1);
  X = 2; // RACE 1
  Thread.join();
  std::printf("%d\ndone\n", X);
}
