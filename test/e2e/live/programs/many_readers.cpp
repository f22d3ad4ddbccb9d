//===- many_readers.cpp ---------------------------------------------------===//
//
// A racy read is found even after many other readers and an ordered write.
//
//===----------------------------------------------------------------------===//

// MUST-SHOW-3

#include "invisible.h"
#include <cstdio>
#include <thread>
#include <vector>

int X;
int Seen[51];

int main() {
  std::thread Racy([] {
    Seen[0] = X; // RACE 1
    done(1);
    await(100);
  });
  await(1);
  std::vector<std::thread> Readers;
  for (int I = 1; I <= 50; I++) {
    Readers.emplace_back([I] { Seen[I] = X; });
    Readers.back().join();
  }
  X = 1; // RACE 1
  while (arrive() < 100)
    ;
  Racy.join();
  std::printf("%d\ndone\n", X + Seen[0] + Seen[50]);
}
