//===- read_write_racy.cpp ------------------------------------------------===//
//
// A read before a write races with it, whoever comes first.
//
//===----------------------------------------------------------------------===//

// KIND: read/write

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;
int Seen;

int main() {
  std::thread First([] {
    Seen = X; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Seen);
}
