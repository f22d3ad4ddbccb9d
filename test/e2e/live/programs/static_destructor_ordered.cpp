//===- static_destructor_ordered.cpp --------------------------------------===//
//
// Destructors of statics come after the threads that main joined.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 2

#include <cstdio>
#include <thread>

struct Logger {
  int Lines = 0;
  ~Logger() { std::printf("%d\n", ++Lines); }
};

Logger TheLogger;

int main() {
  std::thread([] { TheLogger.Lines++; }).join();
}
