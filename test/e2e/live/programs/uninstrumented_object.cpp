//===- uninstrumented_object.cpp ------------------------------------------===//
//
// Accesses in an object that is compiled with -fno-photofinish are not seen.
//
//===----------------------------------------------------------------------===//

// NO RACE
// WITH: unseen.cpp -fno-photofinish

#include "invisible.h"
#include <cstdio>
#include <thread>

void unseenTouch(int *Place, int Value);
int X;

int main() {
  std::thread First([] {
    unseenTouch(&X, 1);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2;
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
