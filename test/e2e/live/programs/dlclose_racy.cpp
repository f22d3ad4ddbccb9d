//===- dlclose_racy.cpp ---------------------------------------------------===//
//
// A race with code of a library that has been unloaded since.
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
  std::thread First([] {
    void *Library = dlopen("./libloaded.so", RTLD_NOW);
    if (Library)
      reinterpret_cast<void (*)(int *, int)>(dlsym(Library, "loadedTouch"))(&X, 1);
    dlclose(Library);
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
