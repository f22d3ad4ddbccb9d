//===- std_future_exception.cpp -------------------------------------------===//
//
// An exception that travels through a future is ordered with it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>

int X;

int main() {
  auto Future = std::async(std::launch::async, []() -> int {
    X = 1;
    throw std::runtime_error("something long enough to be on the heap, surely");
  });
  try {
    Future.get();
  } catch (const std::runtime_error &Error) {
    X += std::string(Error.what()).size() > 10;
  }
  std::printf("%d\ndone\n", X);
}
