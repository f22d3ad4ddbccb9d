//===- pointer_reread_racy.cpp --------------------------------------------===//
//
// A loop that reads its pointer in each iteration is checked as one range for as long as the
// pointer stays the same. Here it becomes another one in the middle of an iteration, twice: what
// was accessed by then is found, and no neighbour of it.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <thread>

struct Bytes {
  unsigned char *Data;
};

unsigned char First[3000], Second[3000];
Bytes Buffer = {First};

__attribute__((noinline)) static void fill(Bytes &To, long Count) {
  for (long I = 0; I < Count; I++) {
    To.Data[3 * I] = 1; // RACE 1
    unsigned char *Old = To.Data;
    To.Data = I >= 300 && I < 600 ? Second : First;
    Old[3 * I + 1] = 2;     // RACE 2
    To.Data[3 * I + 2] = 3; // RACE 3 4
  }
}

int main() {
  std::thread A([&] {
    fill(Buffer, 1000);
    done(1);
  });
  std::thread B([] {
    await(1);
    First[3 * 100] = 1;      // RACE 1
    Second[3 * 450 + 1] = 1; // RACE 2
    Second[3 * 300 + 2] = 1; // RACE 3
    First[3 * 999 + 2] = 1;  // RACE 4
    // And what nobody has accessed there.
    Second[3 * 300] = 1;
    Second[3 * 300 + 1] = 1;
    First[3 * 301] = 1;
    First[3 * 300 + 2] = 1;
    Second[3 * 600 + 2] = 1;
    First[3 * 600] = 1;
  });
  A.join();
  B.join();
  std::printf("done\n");
}
