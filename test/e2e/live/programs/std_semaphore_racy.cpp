//===- std_semaphore_racy.cpp ---------------------------------------------===//
//
// What is done after release is not ordered with the one who acquires.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <semaphore>
#include <thread>

int X;
std::binary_semaphore Semaphore(0);

int main() {
  std::thread First([] {
    Semaphore.release();
    X = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    Semaphore.acquire();
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
