//===- contexts_many.cpp --------------------------------------------------===//
//
// Accesses from very many calling contexts keep their own stacks.
//
//===----------------------------------------------------------------------===//

// STACK: touch, left, right, left, left, right, left, left, left, walk

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

__attribute__((noinline)) static void walk() {
  left(7, 0);
  Sum++;
}

int main() {
  std::thread First([] {
    descend(0, 0);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X[18] = 2; // RACE 1
    done(2);
  });
  First.join();
  Second.join();
  walk();
  std::printf("%d\ndone\n", X[18]);
}
