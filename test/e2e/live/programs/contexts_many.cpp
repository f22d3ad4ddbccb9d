//===- contexts_many.cpp --------------------------------------------------===//
//
// Accesses from very many calling contexts keep their own stacks.
//
//===----------------------------------------------------------------------===//

// STACK: touch, descend, left, descend, right, descend, left, descend, left, descend, right

#include "invisible.h"
#include <cstdio>
#include <thread>

enum { Depth = 14 };
int X[1 << Depth];
int Sum;

static void descend(int Level, unsigned Path);

__attribute__((noinline)) static void touch(unsigned Path) {
  X[Path]++; // RACE 1
  Sum++;
}

__attribute__((noinline)) static void left(int Level, unsigned Path) {
  descend(Level, Path << 1);
  Sum++;
}

__attribute__((noinline)) static void right(int Level, unsigned Path) {
  descend(Level, Path << 1 | 1);
  Sum++;
}

__attribute__((always_inline)) static inline void descend(int Level, unsigned Path) {
  if (Level == Depth)
    return touch(Path);
  left(Level + 1, Path);
  right(Level + 1, Path);
}

int main() {
  std::thread First([] {
    descend(0, 0);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X[18] = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X[18]);
}
