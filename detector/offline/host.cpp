//===- host.cpp - The offline analyser as a host of the rules ---------------===//
//
// An ordinary program: memory from the heap, giving up is a message and exit code 2. A trace
// may ask for any amount of shadow (one operation can write a terabyte), so that is counted,
// and refused before the machine is driven out of memory.
//
//===----------------------------------------------------------------------===//

#include "detector/host.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace photofinish;

static std::atomic<size_t> InUse{0};

/// Three quarters of the machine: what is not shadow needs some, too.
static size_t limit() {
  static const size_t Limit =
      size_t(sysconf(_SC_PHYS_PAGES)) / 4 * 3 * size_t(sysconf(_SC_PAGESIZE));
  return Limit;
}

void *host::allocate(size_t Bytes) {
  // Relaxed: a sum, which orders nothing.
  size_t Sum = InUse.fetch_add(Bytes, std::memory_order_relaxed) + Bytes;
  void *Memory = Sum > limit() ? nullptr : std::calloc(1, Bytes);
  if (!Memory && Bytes)
    giveUp("the trace touches more memory than this machine can keep shadow state for");
  return Memory;
}

void host::release(void *Memory, size_t Bytes) {
  if (!Memory)
    return;
  InUse.fetch_sub(Bytes, std::memory_order_relaxed);
  std::free(Memory);
}

void *host::reserve(size_t Bytes) {
  void *Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return Memory == MAP_FAILED ? nullptr : Memory;
}

void host::use(ptrdiff_t Bytes) {
  if (InUse.fetch_add(size_t(Bytes), std::memory_order_relaxed) + size_t(Bytes) > limit())
    giveUp("the trace has more to remember than this machine has memory for");
}

void host::discard(void *Start, size_t Bytes) { madvise(Start, Bytes, MADV_DONTNEED); }

void host::unreserve(void *Memory, size_t Bytes) {
  if (Memory)
    munmap(Memory, Bytes);
}

void host::yield() { sched_yield(); }

void host::giveUp(const char *Why) {
  std::fprintf(stderr, "photofinish: %s\n", Why);
  std::_Exit(2);
}
