//===- thread_local_destructor_ordered.cpp --------------------------------===//
//
// Destructors of thread_local objects run before the join returns.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <thread>

int X;

struct Counter {
  int Value = 0;
  ~Counter() { X += Value; }
};

thread_local Counter Mine;

int main() {
  for (int I = 0; I < 3; I++) {
    std::thread([] { Mine.Value = 5; }).join();
    X++;
  }
  std::printf("%d\ndone\n", X);
}
