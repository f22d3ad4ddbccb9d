//===- longjmp_stack.cpp --------------------------------------------------===//
//
// After a longjmp stacks are still right.
//
//===----------------------------------------------------------------------===//

// STACK: afterwards, jumps

#include "invisible.h"
#include <csetjmp>
#include <cstdio>
#include <thread>

int X;
int Sum;
std::jmp_buf Target;

__attribute__((noinline)) static void deep(int Depth) {
  if (Depth == 0)
    std::longjmp(Target, 1);
  deep(Depth - 1);
  Sum++;
}

__attribute__((noinline)) static void afterwards() {
  X = 1; // RACE 1
  Sum++;
}

__attribute__((noinline)) static void jumps() {
  if (setjmp(Target) == 0)
    deep(10);
  afterwards();
  Sum++;
}

int main() {
  std::thread First([] {
    jumps();
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", X, Sum);
}
