//===- idle_threads.cpp - How much memory a thread takes that does nothing ----------------===//
//
//   idle_threads COUNT
//
// So many threads at once, each of which has taken a lock, touched an object and waits. Prints how
// much the resident set has grown, in bytes a thread.
//
//===----------------------------------------------------------------------===//

#include "resident.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex Lock;
std::condition_variable Came, Ends;
unsigned NumWaiting = 0;
bool IsOver = false;

void wait() {
  std::unique_lock Guard(Lock);
  ++NumWaiting;
  Came.notify_one();
  Ends.wait(Guard, [] { return IsOver; });
}

/// What there is while so many threads wait.
unsigned long residentWith(unsigned Count) {
  std::vector<std::jthread> Threads;
  for (unsigned I = 0; I < Count; ++I)
    Threads.emplace_back(wait);
  std::unique_lock Guard(Lock);
  Came.wait(Guard, [&] { return NumWaiting == Count; });
  unsigned long Bytes = residentBytes();
  IsOver = true;
  Ends.notify_all();
  return Bytes;
}

} // namespace

int main(int Argc, char **Argv) {
  int Count = Argc == 2 ? std::atoi(Argv[1]) : 0;
  if (Count <= 0) {
    std::fprintf(stderr, "usage: idle_threads COUNT\n");
    return 2;
  }
  unsigned long Before = residentBytes();
  unsigned long With = residentWith(static_cast<unsigned>(Count));
  std::printf("%lu\n", (With > Before ? With - Before : 0) / static_cast<unsigned long>(Count));
  return 0;
}
