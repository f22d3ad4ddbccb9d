//===- std_timed_mutex_failed_racy.cpp ------------------------------------===//
//
// A try_lock_for that fails orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

int X;
bool Locked;
std::timed_mutex Mutex;

int main() {
  std::thread First([] {
    std::lock_guard Guard(Mutex);
    X = 1; // RACE 1
    done(1);
    await(2);
  });
  std::thread Second([] {
    await(1);
    Locked = Mutex.try_lock_for(std::chrono::microseconds(1));
    X = 2; // RACE 1
    done(2);
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Locked);
}
