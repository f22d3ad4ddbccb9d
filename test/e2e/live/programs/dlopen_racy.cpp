//===- dlopen_racy.cpp ----------------------------------------------------===//
//
// A race with code of a library that is loaded late.
//
//===----------------------------------------------------------------------===//

// WITH: loaded.cpp -shared -dlopen
// STACK: loadedTouch

#include "invisible.h"
#include <cstdio>
#include <dlfcn.h>
#include <thread>

int X;

int main() {
  void *Library = dlopen("./libloaded.so", RTLD_NOW);
  if (!Library)
    return std::puts(dlerror());
  auto Touch = reinterpret_cast<void (*)(int *, int)>(dlsym(Library, "loadedTouch"));
  std::thread First([Touch] {
    Touch(&X, 1);
    done(1);
  });
  std::thread Second([] {
    await(1);
    X = 2; // RACE 1
  });
  First.join();
  Second.join();
  std::printf("%d\ndone\n", X);
}
