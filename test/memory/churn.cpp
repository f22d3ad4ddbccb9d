//===- churn.cpp - A program that allocates and frees for as long as it is told -----------===//
//
//   churn SECONDS
//
// What it has at any time is bounded, and so has to be what a detector keeps for it. Workers fill
// blocks of all sizes, keep them for a while, hand some to each other, and free them; memory is
// mapped, given up, used again and unmapped; threads come and go. Every access is ordered: there is
// no race. Prints a line a second: how long it has run, blocks so far, resident KiB.
//
//===----------------------------------------------------------------------===//

#include "resident.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr unsigned NumWorkers = 2, NumKept = 2048, NumHanded = 64;
constexpr size_t MappedBytes = size_t(256) << 10;

/// A block with something in it, as programs have them: a node of a list, a string, an array.
struct Block {
  std::unique_ptr<uint64_t[]> Words;
  size_t Count = 0;
  std::string Name;
};

size_t randomSize(std::mt19937 &Random) {
  switch (Random() % 64) {
  case 0:
    return 1 + Random() % (16 << 10); // up to 128 KiB
  case 1:
  case 2:
  case 3:
    return 1 + Random() % 512;
  default:
    return 1 + Random() % 24;
  }
}

Block makeBlock(std::mt19937 &Random) {
  Block B;
  B.Count = randomSize(Random);
  B.Words = std::make_unique<uint64_t[]>(B.Count);
  // In order, or here and there.
  if (Random() % 2)
    for (size_t I = 0; I < B.Count; ++I)
      B.Words[I] = I;
  else
    for (size_t I = 0; I < B.Count; I += 1 + Random() % 16)
      B.Words[I] = Random();
  B.Name = "block of " + std::to_string(B.Count) + " words";
  return B;
}

uint64_t sumOf(const Block &B) {
  uint64_t Sum = B.Name.size();
  for (size_t I = 0; I < B.Count; ++I)
    Sum += B.Words[I];
  return Sum;
}

/// Where workers find blocks that others have made.
class Exchange {
public:
  Block swap(size_t Number, Block Mine) {
    std::scoped_lock Guard(Lock);
    std::swap(Handed[Number % NumHanded], Mine);
    return Mine;
  }

private:
  std::mutex Lock;
  std::array<Block, NumHanded> Handed;
};

uint64_t useMapping(std::mt19937 &Random) {
  void *Start =
      mmap(nullptr, MappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Start == MAP_FAILED)
    std::abort();
  auto *Words = static_cast<uint64_t *>(Start);
  uint64_t Sum = 0;
  for (int Round = 0; Round < 2; ++Round) {
    for (size_t I = Random() % 8; I < MappedBytes / sizeof(uint64_t); I += 8)
      Sum += Words[I] += I;
    madvise(Start, MappedBytes, MADV_DONTNEED);
  }
  munmap(Start, MappedBytes);
  return Sum;
}

struct Counts {
  std::atomic<bool> IsOver{false};
  std::atomic<uint64_t> Blocks{0};
  std::atomic<uint64_t> Sum{0}; // so that nothing is left out
};

void work(unsigned Id, Exchange &Others, Counts &All) {
  std::mt19937 Random(Id);
  std::vector<Block> Kept(NumKept);
  uint64_t Sum = 0;
  while (!All.IsOver) {
    for (int I = 0; I < 256; ++I) {
      Block &Its = Kept[Random() % NumKept];
      Sum += sumOf(Its);
      Its = makeBlock(Random);
      if (Random() % 16 == 0)
        Its = Others.swap(Random(), std::move(Its));
    }
    if (Random() % 16 == 0)
      Sum += useMapping(Random);
    if (Random() % 16 == 0)
      std::thread([&] { Sum += sumOf(Others.swap(Random(), makeBlock(Random))); }).join();
    All.Blocks += 256;
  }
  All.Sum += Sum;
}

} // namespace

int main(int Argc, char **Argv) {
  int Seconds = Argc == 2 ? std::atoi(Argv[1]) : 0;
  if (Seconds <= 0) {
    std::fprintf(stderr, "usage: churn SECONDS\n");
    return 2;
  }
  Exchange Others;
  Counts All;
  {
    std::vector<std::jthread> Workers;
    for (unsigned Id = 0; Id < NumWorkers; ++Id)
      Workers.emplace_back([&, Id] { work(Id, Others, All); });
    for (int Second = 1; Second <= Seconds; ++Second) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      std::printf("%d %lu %lu\n", Second, static_cast<unsigned long>(All.Blocks.load()),
                  residentBytes() / 1024);
      std::fflush(stdout);
    }
    All.IsOver = true;
  }
  return All.Sum == 0;
}
