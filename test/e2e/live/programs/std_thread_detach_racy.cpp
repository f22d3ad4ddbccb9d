//===- std_thread_detach_racy.cpp -----------------------------------------===//
//
// A detached std::thread is not ordered with what comes later.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

int X;

int main() {
  std::thread([] {
    X = 1; // RACE 1
    done(1);
  }).detach();
  await(1);
  X = 2; // RACE 1
  std::printf("%d\ndone\n", X);
}
