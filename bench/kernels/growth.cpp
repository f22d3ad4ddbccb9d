//===- growth.cpp - How cost grows with one size ------------------------------===//
//
//   growth threads|heap|sync|length VALUE [--threads N] [--scale S]
//
// The number of accesses stays, while one size grows:
//
//   threads  how many threads share the work, with a barrier after each sweep over an array
//   heap     MiB of objects that are alive, in a ring whose order is random
//   sync     accesses of a thread between two critical sections
//   length   elements of the array that is swept over
//
// A curve that bends upwards is a checker that does not scale there.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <barrier>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>

namespace {

constexpr size_t Accesses = 40'000'000;

/// Sweeps over an array, thread by thread a share of it, with a barrier after each sweep.
bool sweepArray(size_t Length, size_t Total, unsigned Threads, kernel::Digest &Result) {
  std::vector<uint64_t> Array(Length);
  size_t Sweeps = std::max<size_t>(1, Total / Length);
  std::barrier Together(static_cast<std::ptrdiff_t>(Threads));
  kernel::inParallel(Threads, [&](unsigned Id) {
    kernel::Share Mine(Length, Id, Threads);
    for (size_t Sweep = 0; Sweep < Sweeps; ++Sweep) {
      for (size_t I = Mine.Begin; I < Mine.End; ++I)
        Array[I] += I ^ Sweep;
      Together.arrive_and_wait();
    }
  });
  uint64_t First = 0;
  for (size_t Sweep = 0; Sweep < Sweeps; ++Sweep)
    First += Sweep;
  Result.add(std::accumulate(Array.begin(), Array.end(), uint64_t(0)));
  return Array[0] == First;
}

struct Node {
  Node *Next = nullptr;
  uint64_t Visits = 0;
  char Rest[48] = {};
};

/// Each thread has a ring of nodes, scattered over its part of the heap, and goes around in it.
bool walkHeap(size_t MiB, size_t Total, unsigned Threads, kernel::Digest &Result) {
  size_t PerThread = std::max<size_t>(2, (MiB << 20) / sizeof(Node) / Threads);
  size_t Steps = Total / 4 / Threads; // a step is four accesses
  std::vector<uint64_t> Visits(Threads);
  kernel::inParallel(Threads, [&](unsigned Id) {
    std::vector<std::unique_ptr<Node>> Nodes(PerThread);
    for (auto &N : Nodes)
      N = std::make_unique<Node>();
    std::vector<size_t> Order(PerThread);
    std::iota(Order.begin(), Order.end(), 0);
    kernel::Random Chance(Id + 1);
    for (size_t I = PerThread; --I;)
      std::swap(Order[I], Order[Chance.below(I + 1)]);
    for (size_t I = 0; I < PerThread; ++I)
      Nodes[Order[I]]->Next = Nodes[Order[(I + 1) % PerThread]].get();
    Node *At = Nodes[0].get();
    for (size_t Step = 0; Step < Steps; ++Step, At = At->Next)
      ++At->Visits;
    for (const auto &N : Nodes)
      Visits[Id] += N->Visits;
  });
  uint64_t All = std::accumulate(Visits.begin(), Visits.end(), uint64_t(0));
  Result.add(All);
  return All == uint64_t(Steps) * Threads;
}

/// Each thread works on memory of its own, and adds to a shared sum now and then.
bool synchronize(size_t Between, size_t Total, unsigned Threads, kernel::Digest &Result) {
  std::mutex Lock;
  uint64_t Sum = 0; // under Lock
  size_t Sections = std::max<size_t>(1, Total / 2 / Threads / Between);
  kernel::inParallel(Threads, [&](unsigned) {
    std::vector<uint64_t> Own(1000);
    for (size_t Section = 0; Section < Sections; ++Section) {
      for (size_t I = 0; I < Between; ++I)
        ++Own[(Section * Between + I) % Own.size()];
      std::lock_guard Guard(Lock);
      Sum += Between;
    }
  });
  Result.add(Sum);
  return Sum == uint64_t(Sections) * Between * Threads;
}

} // namespace

int main(int Argc, char **Argv) {
  size_t Value = 0;
  if (Argc < 3 ||
      std::from_chars(Argv[2], Argv[2] + std::strlen(Argv[2]), Value).ec != std::errc() || !Value) {
    std::fprintf(stderr,
                 "usage: growth threads|heap|sync|length VALUE [--threads N] [--scale S]\n");
    return 2;
  }
  std::string_view Kind = Argv[1];
  Argv[2] = Argv[0];
  kernel::Settings S(Argc - 2, Argv + 2);
  size_t Total = S.scaled(Accesses);
  kernel::Digest Result;
  if (Kind == "threads")
    return finish(S, sweepArray(100'000, Total, static_cast<unsigned>(Value), Result),
                  Result.value());
  if (Kind == "heap")
    return finish(S, walkHeap(Value, Total, S.Threads, Result), Result.value());
  if (Kind == "sync")
    return finish(S, synchronize(Value, Total, S.Threads, Result), Result.value());
  if (Kind == "length")
    return finish(S, sweepArray(Value, Total, S.Threads, Result), Result.value());
  std::fprintf(stderr, "growth: no sweep is called '%s'\n", Argv[1]);
  return 2;
}
