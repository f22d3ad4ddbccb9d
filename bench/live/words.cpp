// Counting words in a table of locked buckets: objects, strings, calls, many short critical
// sections.
#include "bench/live/kernel.h"

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Bucket {
  std::mutex Lock;
  std::map<std::string, int> Counts;
};
std::array<Bucket, 64> Table;

void count(const std::string &Word) {
  size_t Hash = 5381;
  for (char C : Word)
    Hash = Hash * 33 + size_t(C);
  Bucket &B = Table[Hash % Table.size()];
  std::lock_guard<std::mutex> Guard(B.Lock);
  ++B.Counts[Word];
}

constexpr int PerThread = 60000;

void work(unsigned Seed) {
  for (int I = 0; I < PerThread; ++I) {
    Seed = Seed * 1664525 + 1013904223;
    std::string Word = "word";
    for (unsigned Number = (Seed >> 10) % 2000; Number; Number /= 26)
      Word += char('a' + Number % 26);
    count(Word);
  }
}

} // namespace

int main() {
  constexpr unsigned Threads = 2;
  Stopwatch Watch;
  std::vector<std::thread> Workers;
  for (unsigned T = 0; T < Threads; ++T)
    Workers.emplace_back(work, T + 1);
  for (std::thread &W : Workers)
    W.join();
  long Sum = 0;
  for (Bucket &B : Table)
    for (const auto &[Word, Count] : B.Counts)
      Sum += Count;
  return Watch.report(Sum == long(Threads) * PerThread);
}
