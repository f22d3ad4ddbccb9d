//===- std_atomic_ref_racy.cpp --------------------------------------------===//
//
// An access through atomic_ref races with one that is not.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <atomic>
#include <cstdio>
#include <thread>

int Counter;

int main() {
  std::thread First([] {
    std::atomic_ref(Counter).fetch_add(1); // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    Counter = 5; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", Counter);
}
