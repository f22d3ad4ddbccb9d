//===- std_mutex_racy.cpp -------------------------------------------------===//
//
// A unique_lock that has been unlocked protects no more.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <mutex>
#include <thread>

int X;
std::mutex Mutex;

int main() {
  std::thread First([] {
    std::unique_lock Guard(Mutex);
    Guard.unlock();
    X = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    std::lock_guard Guard(Mutex);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
