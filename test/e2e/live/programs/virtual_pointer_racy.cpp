//===- virtual_pointer_racy.cpp -------------------------------------------===//
//
// A virtual call races with the destructor that changes the object's class.
//
//===----------------------------------------------------------------------===//

// KIND: vptr

#include "invisible.h"
#include <cstdio>
#include <new>
#include <thread>

int Destroyed;

struct Base {
  virtual int name() { return 1; }
  virtual ~Base() { // RACE 1
    Destroyed++;
  }
};

struct Derived : Base {
  int name() override { return 2; }
  ~Derived() override { Destroyed++; }
};

alignas(Derived) char Storage[sizeof(Derived)];
Base *Object;
int Seen;

int main() {
  Object = new (Storage) Derived;
  std::thread First([] {
    Seen = Object->name(); // RACE 1
    done(1);
  });
  std::thread Second([] {
    await(1);
    Object->~Base();
  });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", Seen, Destroyed);
}
