//===- long_ago_racy.cpp --------------------------------------------------===//
//
// An access keeps its place and its stack, however many others have been remembered, and forgotten
// again, since.
//
//===----------------------------------------------------------------------===//

// STACK: early, begin

#include "invisible.h"
#include <cstdio>
#include <mutex>
#include <thread>

int X, Y;
int Seen;
int Counter;
std::mutex Lock;

__attribute__((noinline)) static void early() {
  X = 1;    // RACE 1
  Seen = Y; // RACE 2
}

__attribute__((noinline)) static void begin() {
  early();
  Counter++;
}

int main() {
  Seen = Y; // so that several have read it
  std::thread First([] {
    begin();
    for (int I = 0; I < 400000; I++) {
      std::lock_guard<std::mutex> Guard(Lock);
      Counter++;
    }
    done(1);
    await(2);
  });
  await(1);
  X++;   // RACE 1
  Y = 3; // RACE 2
  done(2);
  First.join();
  std::printf("%d %d\ndone\n", X, Y);
}
