//===- thread_name.cpp ----------------------------------------------------===//
//
// The report shows the names that the program gave its threads.
//
//===----------------------------------------------------------------------===//

// STDERR: painter
// STDERR: writer

#include "invisible.h"
#include <cstdio>
#include <pthread.h>
#include <thread>

int X;

int main() {
  std::thread First([] {
    pthread_setname_np(pthread_self(), "painter");
    X = 1; // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(2);
    X = 2; // RACE 1
  });
  pthread_setname_np(Second.native_handle(), "writer");
  await(1);
  done(2);
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
