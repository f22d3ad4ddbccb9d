//===- std_jthread_ordered.cpp --------------------------------------------===//
//
// A jthread is joined by its destructor; its stop request orders.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <stop_token>
#include <thread>

int X, Y;

int main() {
  {
    std::jthread Thread([](std::stop_token Token) {
      X = 1;
      while (!Token.stop_requested())
        ;
      Y++;
    });
    Y = 1;
    Thread.request_stop();
  }
  X++;
  std::printf("%d %d\ndone\n", X, Y);
}
