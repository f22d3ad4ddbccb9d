//===- random_lock_trace.h - Random traces full of locks ---------------------===//
//
// Feasible operations drawn at random, denser in what the lockset detector cares about
// than programs are: locks given back in any order and taken in both modes, waits, two
// threads that join the same third, mixed sizes within few granules, two of which
// collide in the caches.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_RANDOM_LOCK_TRACE_H
#define PHOTOFINISH_TEST_UNIT_RANDOM_LOCK_TRACE_H

#include "detector/lockset_cache.h"
#include "test/unit/trace_builder.h"

#include <optional>
#include <random>
#include <vector>

namespace photofinish {

/// Another granule with the same place in the caches.
inline uint64_t conflicting(uint64_t Granule) {
  uint64_t Other = Granule + 1;
  while (lockset::AccessCache::indexOf(Other) != lockset::AccessCache::indexOf(Granule))
    ++Other;
  return Other;
}

class RandomLockTrace {
public:
  explicit RandomLockTrace(uint64_t Seed) : Random(Seed) {
    unsigned NumThreads = 2 + below(4);
    NumLocks = below(5);
    LockPercent = 10 + below(50);
    AtomicPercent = below(3) * 20;
    WritePercent = 10 + below(60);
    Threads.resize(NumThreads);
    Granules = {Block / 8, Block / 8 + 1, conflicting(Block / 8), 0x2000 / 8};
    size_t Length = 10 + below(110);
    while (Ops.size() < Length)
      step();
  }

  const Trace &trace() const { return Ops.trace(); }

private:
  static constexpr uint64_t Block = 0x1000; // allocated and freed along the way

  struct Thread {
    std::vector<std::pair<uint64_t, bool>> Held; // lock, shared?
    std::optional<uint64_t> WaitsFor;
    bool HasRun = false, IsOver = false;
  };

  unsigned below(unsigned N) { return unsigned(Random() % N); }
  bool percent(unsigned P) { return below(100) < P; }

  void step() {
    auto T = ThreadId(below(unsigned(Threads.size())));
    Thread &Me = Threads[T];
    if (Me.IsOver)
      return;
    if (Me.WaitsFor) {
      if (canTake(*Me.WaitsFor, false)) {
        Ops.wake(T, 0, uint32_t(*Me.WaitsFor));
        Me.Held.emplace_back(*Me.WaitsFor, false);
        Me.WaitsFor.reset();
      }
      return;
    }
    size_t Before = Ops.size();
    if (percent(LockPercent) && NumLocks)
      lock(T, Me);
    else if (percent(4))
      join(T, Me);
    else if (percent(4))
      memory(T);
    else
      access(T);
    Me.HasRun |= Ops.size() > Before;
  }

  bool canTake(uint64_t M, bool Shared) const {
    for (const Thread &Each : Threads)
      for (auto [Lock, IsShared] : Each.Held)
        if (Lock == M && !(Shared && IsShared))
          return false;
    return true;
  }
  void lock(ThreadId T, Thread &Me) {
    if (!Me.Held.empty() && percent(50)) {
      auto It = Me.Held.begin() + below(unsigned(Me.Held.size()));
      auto [M, Shared] = *It;
      Me.Held.erase(It);
      if (Shared) {
        Ops.rul(T, M);
      } else if (percent(20)) {
        Ops.wait(T, 0, uint32_t(M));
        Me.WaitsFor = M;
      } else {
        Ops.rel(T, M);
      }
      return;
    }
    uint64_t M = below(NumLocks);
    bool Shared = percent(30);
    for (auto [Lock, IsShared] : Me.Held)
      if (Lock == M)
        return;
    if (!canTake(M, Shared))
      return;
    Shared ? Ops.rlk(T, M) : Ops.acq(T, M);
    Me.Held.emplace_back(M, Shared);
  }
  void join(ThreadId T, Thread &Me) {
    auto U = ThreadId(below(unsigned(Threads.size())));
    Thread &Other = Threads[U];
    if (&Other == &Me || !Other.HasRun || !Other.Held.empty() || Other.WaitsFor)
      return;
    Other.IsOver = true;
    Ops.join(T, U);
  }
  void memory(ThreadId T) {
    if (IsAllocated)
      Ops.free(T, Block, BlockSize);
    else
      Ops.alloc(T, Block, BlockSize = 1 + below(16));
    IsAllocated = !IsAllocated;
  }
  void access(ThreadId T) {
    uint64_t Size = percent(60) ? 8 : 1 + below(12);
    uint64_t Address = Granules[below(unsigned(Granules.size()))] * 8 + (Size == 8 ? 0 : below(8));
    bool IsWrite = percent(WritePercent);
    if (percent(AtomicPercent))
      IsWrite ? percent(50) ? Ops.astore(T, Address, MemoryOrder::Relaxed, Size)
                            : Ops.armw(T, Address, MemoryOrder::Relaxed, Size)
              : Ops.aload(T, Address, MemoryOrder::Relaxed, Size);
    else
      IsWrite ? Ops.write(T, Address, Size) : Ops.read(T, Address, Size);
  }

  std::mt19937_64 Random;
  unsigned NumLocks, LockPercent, AtomicPercent, WritePercent;
  std::vector<Thread> Threads;
  std::vector<uint64_t> Granules;
  bool IsAllocated = false;
  uint64_t BlockSize = 0;
  TraceBuilder Ops;
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_RANDOM_LOCK_TRACE_H
