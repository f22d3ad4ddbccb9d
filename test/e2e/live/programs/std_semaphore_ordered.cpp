//===- std_semaphore_ordered.cpp ------------------------------------------===//
//
// counting_semaphore and binary_semaphore order release before acquire.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <chrono>
#include <cstdio>
#include <semaphore>
#include <thread>

int X;
std::binary_semaphore Ping(0);
std::counting_semaphore<10> Pong(0);

int main() {
  std::thread First([] {
    for (int I = 0; I < 30; I++) {
      X++;
      Ping.release();
      Pong.acquire();
    }
  });
  std::thread Second([] {
    for (int I = 0; I < 30; I++) {
      if (I % 2)
        Ping.acquire();
      else
        while (!Ping.try_acquire_for(std::chrono::seconds(1)))
          ;
      X++;
      Pong.release();
    }
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
