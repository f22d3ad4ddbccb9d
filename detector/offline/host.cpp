//===- host.cpp - The offline analyser as a host of the rules ---------------===//
//
// An ordinary program: memory from the heap, giving up is a message and exit code 2.
//
//===----------------------------------------------------------------------===//

#include "detector/host.h"

#include <cstdio>
#include <cstdlib>
#include <sched.h>

using namespace photofinish;

void *host::allocate(size_t Bytes) {
  void *Memory = std::calloc(1, Bytes);
  if (!Memory && Bytes)
    giveUp("out of memory");
  return Memory;
}

void host::release(void *Memory, size_t) { std::free(Memory); }

void host::yield() { sched_yield(); }

void host::giveUp(const char *Why) {
  std::fprintf(stderr, "photofinish: %s\n", Why);
  std::_Exit(2);
}
