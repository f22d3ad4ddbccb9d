//===- dlopen_reload_ordered.cpp ------------------------------------------===//
//
// A library's data begins a new life when it is loaded again.
//
//===----------------------------------------------------------------------===//

// NO RACE
// WITH: counter.cpp -shared -dlopen

#include "invisible.h"
#include <cstdio>
#include <dlfcn.h>
#include <thread>

int Results[2];

static int countOnce() {
  void *Library = dlopen("./libcounter.so", RTLD_NOW);
  if (!Library)
    return -1;
  int Result = reinterpret_cast<int (*)()>(dlsym(Library, "count"))();
  dlclose(Library);
  return Result;
}

int main() {
  std::thread First([] {
    Results[0] = countOnce();
    done(1);
  });
  std::thread Second([] {
    await(1);
    Results[1] = countOnce();
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", Results[0], Results[1]);
}
