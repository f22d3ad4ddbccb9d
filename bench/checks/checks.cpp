// The cost of one check: accesses that their thread has made before in the same epoch (hits), and
// accesses in a new epoch (misses), each in a loop that does nothing else. Prints the seconds.
//
//   checks read|write hit|miss PASSES
#include "bench/another_thread.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace {

constexpr size_t Elements = 4096; // stays in the cache, with its shadow
uint64_t Data[Elements];
std::mutex Lock;
uint64_t Sink;

/// A release: what follows is in a new epoch.
void newEpoch() { std::lock_guard<std::mutex> Guard(Lock); }

template <bool IsWrite> void pass(uint64_t Value) {
  uint64_t Sum = 0;
  for (uint64_t &Element : Data) {
    if constexpr (IsWrite)
      Element = Value;
    else
      Sum += Element;
  }
  if constexpr (!IsWrite)
    Sink += Sum;
}

} // namespace

int main(int Count, char **Words) {
  if (Count != 4)
    return 2;
  bool IsWrite = !std::strcmp(Words[1], "write"), IsMiss = !std::strcmp(Words[2], "miss");
  int Passes = std::atoi(Words[3]);
  haveAnotherThread();
  auto Begin = std::chrono::steady_clock::now();
  for (int I = 0; I < Passes; ++I) {
    if (IsMiss)
      newEpoch();
    IsWrite ? pass<true>(uint64_t(I)) : pass<false>(0);
  }
  std::printf("%.6f\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin).count());
}
