//===- std_stop_callback.cpp ----------------------------------------------===//
//
// A stop callback runs in the thread that requests the stop.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

int X;

int main() {
  std::stop_source Source;
  std::thread Thread([Token = Source.get_token()] {
    std::stop_callback Callback(Token, [] { X++; });
    while (!Token.stop_requested())
      ;
  });
  Source.request_stop();
  Thread.join();
  // Either the requester or the thread itself has called it, and both come before this.
  std::printf("%d\ndone\n", X);
}
