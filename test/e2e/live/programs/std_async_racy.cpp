//===- std_async_racy.cpp -------------------------------------------------===//
//
// Before its future is asked, the caller of std::async is not ordered.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <future>

int X;

int main() {
  auto Future = std::async(std::launch::async, [] {
    X = 1; // RACE 1
    done(1);
  });
  await(1);
  X = 2; // RACE 1
  Future.get();
  std::printf("%d\ndone\n", X);
}
