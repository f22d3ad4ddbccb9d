//===- vector_container_racy.cpp ------------------------------------------===//
//
// A race inside the standard library is reported with the user's line.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>
#include <vector>

std::vector<int> Numbers(10);

int main() {
  std::thread First([] {
    Numbers.at(3) = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    Numbers.at(3) = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", Numbers[3]);
}
