//===- inline_assembly_racy.cpp -------------------------------------------===//
//
// The memory operands of inline assembly are accessed.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

int X, Y;

int main() {
  std::thread First([] {
    asm volatile("incl %0" : "+m"(X));                 // RACE 1
    asm volatile("movl %0, %%eax" : : "m"(Y) : "eax"); // RACE 2
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 5; // RACE 1
    Y = 5; // RACE 2
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Y);
}
