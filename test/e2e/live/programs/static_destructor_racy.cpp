//===- static_destructor_racy.cpp -----------------------------------------===//
//
// The destructor of a static races with a thread that still runs.
//
//===----------------------------------------------------------------------===//

// OUTPUT: destroyed

#include "invisible.h"
#include <cstdio>
#include <thread>

struct Logger {
  int Lines = 0;
  ~Logger() {
    Lines = -1; // RACE 1
    std::printf("destroyed\n");
  }
};

Logger TheLogger;

int main() {
  std::thread([] {
    TheLogger.Lines = 1; // RACE 1
    done(1);
    await(1000);
  }).detach();
  await(1);
}
