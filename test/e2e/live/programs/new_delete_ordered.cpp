//===- new_delete_ordered.cpp ---------------------------------------------===//
//
// new and delete in all their forms give fresh memory.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) Aligned {
  long Values[10];
};

static long work() {
  long Sum = 0;
  for (int I = 0; I < 50; I++) {
    auto Single = std::make_unique<long>(I);
    auto Array = std::make_unique<long[]>(100);
    auto Wide = std::make_unique<Aligned>();
    auto WideArray = std::make_unique<Aligned[]>(3);
    auto *Plain = static_cast<long *>(::operator new(64, std::nothrow));
    auto *Sized = static_cast<long *>(::operator new(128));
    Plain[3] = Sized[3] = I;
    WideArray[2].Values[9] = I;
    std::string Text(100, 'x');
    std::vector<long> Numbers(50, I);
    Sum += *Single + Array[99] + Wide->Values[9] + Numbers[49] + static_cast<long>(Text.size());
    ::operator delete(Plain, std::nothrow);
    ::operator delete(Sized, 128);
  }
  return Sum;
}

long Sums[2];

int main() {
  std::thread First([] {
    Sums[0] = work();
    done(1);
  });
  std::thread Second([] {
    await(1);
    Sums[1] = work();
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", Sums[0] == Sums[1]);
}
