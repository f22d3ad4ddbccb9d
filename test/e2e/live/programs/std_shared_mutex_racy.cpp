//===- std_shared_mutex_racy.cpp ------------------------------------------===//
//
// Two shared holders of a shared_mutex are not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <shared_mutex>
#include <thread>

int X;
std::shared_mutex Mutex;

int main() {
  std::thread First([] {
    std::shared_lock Guard(Mutex);
    X = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    std::shared_lock Guard(Mutex);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
