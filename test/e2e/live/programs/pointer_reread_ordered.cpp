//===- pointer_reread_ordered.cpp -----------------------------------------===//
//
// A loop that reads its pointer in each iteration, and swaps it with another thread's under a lock
// now and then: whoever has a buffer has it alone.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

struct Bytes {
  unsigned char *Data;
};

unsigned char Buffers[3][4000];
Bytes Spare = {Buffers[2]};
std::mutex Lock;

__attribute__((noinline)) static void fill(Bytes &To, long Count, unsigned char Value) {
  for (long I = 0; I < Count; I++) {
    To.Data[2 * I] = Value;
    To.Data[2 * I + 1] = static_cast<unsigned char>(To.Data[2 * I] + 1);
  }
}

__attribute__((noinline)) static void work(Bytes &Own) {
  for (unsigned char Round = 0; Round < 50; Round++) {
    fill(Own, 2000, Round);
    std::lock_guard Guard(Lock);
    std::swap(Own.Data, Spare.Data);
  }
}

int main() {
  Bytes A = {Buffers[0]}, B = {Buffers[1]};
  std::thread First([&] { work(A); });
  std::thread Second([&] { work(B); });
  First.join();
  Second.join();
  std::printf("done\n");
}
