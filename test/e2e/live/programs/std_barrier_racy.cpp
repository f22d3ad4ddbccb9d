//===- std_barrier_racy.cpp -----------------------------------------------===//
//
// Two threads between the same phases of a std::barrier are not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <barrier>
#include <cstdio>
#include <thread>

int X;

int main() {
  std::barrier Barrier(2);
  std::thread First([&Barrier] {
    Barrier.arrive_and_wait();
    X = 1; // RACE 1
    done(1);
    await(2); // or its arrival could be what releases the other from the first phase
    Barrier.arrive_and_wait();
  });
  std::thread Second([&Barrier] {
    Barrier.arrive_and_wait();
    await(1);
    X = 2; // RACE 1
    done(2);
    Barrier.arrive_and_wait();
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
