//===- std_async_ordered.cpp ----------------------------------------------===//
//
// std::async orders its call before it and its result after it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <future>

int X;

int main() {
  X = 1;
  auto Future = std::async(std::launch::async, [] { return ++X; });
  int Result = Future.get();
  X += Result;
  auto Deferred = std::async(std::launch::deferred, [] { return ++X; });
  X += Deferred.get();
  std::printf("%d\ndone\n", X);
}
