//===- virtual_pointer_same.cpp -------------------------------------------===//
//
// A destructor that stores the value that is there already is no race.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <cstdio>
#include <new>
#include <thread>

int Destroyed;

struct Single {
  virtual int name() { return 1; }
  virtual ~Single() { Destroyed++; }
};

alignas(Single) char Storage[sizeof(Single)];
Single *Object;
int Seen;

int main() {
  Object = new (Storage) Single;
  std::thread First([] {
    Seen = Object->name();
    done(1);
  });
  std::thread Second([] {
    await(1);
    Object->~Single();
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", Seen, Destroyed);
}
