//===- std_thread_racy.cpp ------------------------------------------------===//
//
// Two std::threads are not ordered with each other.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;

int main() {
  std::thread First([] {
    X = 1; // RACE 1
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
