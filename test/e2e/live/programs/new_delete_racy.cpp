//===- new_delete_racy.cpp ------------------------------------------------===//
//
// delete in all its forms races with another thread's use.
//
//===----------------------------------------------------------------------===//

// KIND: free

#include "invisible.h"
#include <cstdio>
#include <new>
#include <thread>

struct alignas(64) Aligned {
  int Value;
};

int *Single, *Array;
Aligned *Wide;

int main() {
  Single = new int(1);
  Array = new int[10]();
  Wide = new Aligned{1};
  std::thread First([] {
    *Single = 2;     // RACE 1
    Array[3] = 2;    // RACE 2
    Wide->Value = 2; // RACE 3
    done(1);
  });
  std::thread Second([] {
    await(1);
    delete Single;  // RACE 1
    delete[] Array; // RACE 2
    delete Wide;    // RACE 3
  });
  First.join();
  Second.join();
  std::printf("done\n");
}
