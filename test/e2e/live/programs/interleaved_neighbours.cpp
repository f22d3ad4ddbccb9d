//===- interleaved_neighbours.cpp -----------------------------------------===//
//
// Neighbours that a loop accesses are checked together, and those between them are not.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <thread>

struct Point {
  unsigned char A, B;
  unsigned short C;
  unsigned D, E;
};

Point Points[1000];

__attribute__((noinline)) static void first(long Count) {
  for (long I = 0; I < Count; I++) {
    Points[I].A = 1;
    Points[I].B = 2;
    Points[I].E = 3;
  }
}

__attribute__((noinline)) static void second(long Count) {
  for (long I = 0; I < Count; I++) {
    Points[I].C = 1;
    Points[I].D = 2;
  }
}

int main() {
  std::thread First([] { first(1000); });
  std::thread Second([] { second(1000); });
  First.join();
  Second.join();
  std::printf("%u\ndone\n", Points[999].D);
}
