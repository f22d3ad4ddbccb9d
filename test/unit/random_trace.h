//===- random_trace.h - Small random traces, without the generator --------===//
//
// Tests of the oracles need traces that don't come from the code under test around
// them. RandomTrace makes feasible ones (docs/traces.md, "feasible when") with every kind
// of operation. Everything is small so that threads keep meeting: four threads, two
// locks, two barriers, eight bytes of flags and eight bytes of heap.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_RANDOM_TRACE_H
#define PHOTOFINISH_TEST_UNIT_RANDOM_TRACE_H

#include "trace/stream.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace photofinish {

class RandomTrace {
public:
  RandomTrace(unsigned Seed, size_t Length) : Random(Seed) {
    // A third of the traces have plain accesses and atomics of whole variables only,
    // otherwise mixed sizes would hide most release sequences.
    WholeOnly = pick(3) == 0;
    // Some meet at one barrier all the time, so that rounds overlap.
    BarrierOften = pick(4) == 0;
    Threads[0].Known = true;
    Threads[1].Known = pick(2);
    // Random steps can end in a deadlock, hence the bound.
    for (size_t Tries = 0; Ops.size() < Length && Tries < 50 * Length; ++Tries)
      step(ThreadId(pick(NumThreads)));
  }
  Trace Ops;

private:
  static constexpr unsigned NumThreads = 4;
  static constexpr uint64_t Heap = 0x1000, HeapSize = 8, Flags = 0x2000;
  struct ThreadState {
    bool Known = false, HasRun = false, BeganWithStart = false, Done = false;
    int WaitsFor = -1, Barrier = -1; // lock of its wait; barrier that it is inside
    std::set<uint32_t> Exclusive, Shared;
  };
  ThreadState Threads[NumThreads];
  std::map<uint64_t, uint64_t> Live;
  std::mt19937 Random;
  bool WholeOnly, BarrierOften;

  unsigned pick(unsigned Below) { return unsigned(Random() % Below); }

  bool heldExclusively(uint32_t L) const {
    return std::any_of(std::begin(Threads), std::end(Threads),
                       [&](const ThreadState &T) { return T.Exclusive.count(L); });
  }
  bool held(uint32_t L) const {
    return heldExclusively(L) ||
           std::any_of(std::begin(Threads), std::end(Threads),
                       [&](const ThreadState &T) { return T.Shared.count(L); });
  }

  void add(OpKind Kind, ThreadId T, uint64_t Target = 0, uint64_t Size = 0,
           MemoryOrder Order = MemoryOrder::Relaxed, uint32_t Lock = 0) {
    Ops.push_back({Kind, Order, T, Target, Size, Lock, 0});
    Threads[T].HasRun = true;
  }

  /// Some bytes of the heap or of the two flags.
  std::pair<uint64_t, uint64_t> bytes() {
    uint64_t Base = pick(3) ? Flags : Heap;
    if (WholeOnly)
      return {Base + uint64_t(4) * pick(2), 4};
    uint64_t Size = 1 + pick(4);
    return {Base + pick(unsigned(HeapSize - Size + 1)), Size};
  }

  /// Does one random thing, or nothing if it isn't feasible.
  void step(ThreadId T) {
    ThreadState &S = Threads[T];
    if (!S.Known || S.Done)
      return;
    uint32_t L = pick(2);
    if (S.WaitsFor >= 0) {
      if (!held(uint32_t(S.WaitsFor)) && pick(2) == 0) {
        add(OpKind::Wake, T, 0, 0, MemoryOrder::Relaxed, uint32_t(S.WaitsFor));
        S.Exclusive.insert(uint32_t(S.WaitsFor));
        S.WaitsFor = -1;
      }
      return;
    }
    if (S.Barrier >= 0) {
      if (pick(3) == 0) {
        add(OpKind::Depart, T, uint64_t(S.Barrier));
        S.Barrier = -1;
      }
      return;
    }
    if (!S.HasRun && pick(2)) {
      S.BeganWithStart = true;
      return add(OpKind::Begin, T);
    }

    using enum MemoryOrder;
    static constexpr MemoryOrder LoadOrders[] = {Relaxed, Relaxed, Consume, Acquire, SeqCst};
    static constexpr MemoryOrder StoreOrders[] = {Relaxed, Relaxed, Relaxed, Release, SeqCst};
    static constexpr MemoryOrder RmwOrders[] = {Relaxed, Relaxed, Relaxed, Consume,
                                                Acquire, Release, AcqRel,  SeqCst};
    static constexpr MemoryOrder FenceOrders[] = {Consume, Acquire, Release, AcqRel, SeqCst};
    auto [Address, Size] = bytes();
    switch (BarrierOften && pick(3) == 0 ? 19 : pick(24)) {
    case 0:
    case 1:
      return add(OpKind::Read, T, Address, Size);
    case 2:
    case 3:
      return add(OpKind::Write, T, Address, Size);
    case 4:
    case 5:
      return add(OpKind::AtomicLoad, T, Address, Size, LoadOrders[pick(5)]);
    case 6:
    case 7:
      return add(OpKind::AtomicStore, T, Address, Size, StoreOrders[pick(5)]);
    case 8:
    case 9:
      return add(OpKind::AtomicRmw, T, Address, Size, RmwOrders[pick(8)]);
    case 10:
      return add(OpKind::Fence, T, 0, 0, FenceOrders[pick(5)]);
    case 11:
    case 12:
      if (held(L))
        return;
      S.Exclusive.insert(L);
      return add(OpKind::Acquire, T, L);
    case 13:
    case 14:
      if (!S.Exclusive.erase(L))
        return;
      return add(OpKind::Release, T, L);
    case 15:
      if (heldExclusively(L) || S.Shared.count(L))
        return;
      S.Shared.insert(L);
      return add(OpKind::ReadLock, T, L);
    case 16:
      if (!S.Shared.erase(L))
        return;
      return add(OpKind::ReadUnlock, T, L);
    case 17:
      if (!S.Exclusive.erase(L))
        return;
      S.WaitsFor = int(L);
      return add(OpKind::Wait, T, 0, 0, MemoryOrder::Relaxed, L);
    case 18:
      return add(OpKind::Notify, T, 0);
    case 19:
      S.Barrier = BarrierOften ? 0 : int(pick(2));
      return add(OpKind::Arrive, T, uint64_t(S.Barrier));
    case 20:
      return add(OpKind::Once, T, pick(2));
    case 21: { // fork or join
      ThreadId U = pick(NumThreads);
      ThreadState &Other = Threads[U];
      if (U != T && !Other.Known) {
        Other.Known = true;
        return add(OpKind::Fork, T, U);
      }
      bool CanEnd =
          Other.Done || (Other.HasRun && !Other.BeganWithStart && Other.WaitsFor < 0 &&
                         Other.Barrier < 0 && Other.Exclusive.empty() && Other.Shared.empty());
      if (U == T || !CanEnd || (!Other.Done && pick(3)))
        return;
      Other.Done = true;
      return add(OpKind::Join, T, U);
    }
    case 22: { // allocate or free
      uint64_t Start = Heap + uint64_t(4) * pick(2), NewSize = 1 + pick(4);
      if (Live.count(Start)) {
        add(OpKind::Free, T, Start, Live[Start]);
        Live.erase(Start);
        return;
      }
      Live[Start] = NewSize;
      return add(OpKind::Allocate, T, Start, NewSize);
    }
    default:
      if (T == 0 || pick(4) || !S.HasRun || !S.Exclusive.empty() || !S.Shared.empty())
        return;
      S.Done = true;
      return add(OpKind::End, T);
    }
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_RANDOM_TRACE_H
