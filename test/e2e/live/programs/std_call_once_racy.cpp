//===- std_call_once_racy.cpp ---------------------------------------------===//
//
// Calls that did nothing are not ordered before each other.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <mutex>
#include <thread>

int X;
std::once_flag Flag;

int main() {
  std::call_once(Flag, [] {});
  std::thread First([] {
    std::call_once(Flag, [] {});
    X = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    std::call_once(Flag, [] {});
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
