//===- std_jthread_racy.cpp -----------------------------------------------===//
//
// What is done after the stop request is not ordered with the jthread.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <cstdio>
#include <stop_token>
#include <thread>

int X;

int main() {
  {
    std::jthread Thread([](std::stop_token Token) {
      while (!Token.stop_requested())
        ;
      X = 1; // RACE 1
      done(1);
    });
    Thread.request_stop();
    await(1);
    X = 2; // RACE 1
  }
  std::printf("%d\ndone\n", X);
}
