//===- interleaved_racy.cpp -----------------------------------------------===//
//
// Neighbours that a loop accesses on several lines are checked together; a report names the line of
// the byte in question, also at an odd address.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

struct Point {
  double X, Y, Z, W;
};

unsigned char Bytes[10003];
Point Points[300];

__attribute__((noinline)) static unsigned sum(const unsigned char *From, long Count) {
  unsigned Sum = 0;
  for (long I = 0; I < Count; I += 3) {
    Sum += From[I];
    Sum ^= From[I + 1]; // RACE 1
    Sum += From[I + 2];
  }
  return Sum;
}

__attribute__((noinline)) static void move(long Count) {
  for (long I = Count - 1; I >= 0; I--) {
    Points[I].X += 1;
    Points[I].Y += 2;
    Points[I].Z += 3; // RACE 2
  }
}

int main() {
  unsigned Sum = 0;
  std::thread First([&] {
    Sum = sum(Bytes + 1, 10002);
    move(300);
    done(1);
  });
  std::thread Second([] {
    await(1);
    Bytes[1 + 3 * 2000 + 1] = 1; // RACE 1
    Points[250].Z = 1;           // RACE 2
    Points[17].W = 1;
  });
  First.join();
  Second.join();
  std::printf("%u\ndone\n", Sum);
}
