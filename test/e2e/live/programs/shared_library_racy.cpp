//===- shared_library_racy.cpp --------------------------------------------===//
//
// A race with code of a shared library that was compiled separately.
//
//===----------------------------------------------------------------------===//

// WITH: touches.cpp -shared

#include "invisible.h"
#include <cstdio>
#include <thread>

void touch(int *Place, int Value);
int X;

int main() {
  std::thread First([] {
    touch(&X, 1);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
