//===- enumerate.cpp - All small feasible traces ---------------------------===//
//
// The admissible operations follow from a few words of state: who holds each lock,
// which threads have been forked, have run, have been joined, and how many names
// have been used so far. Each alternative is applied, visited, extended and taken
// back by restoring the words that it changed.
//
//===----------------------------------------------------------------------===//

#include "trace/enumerate.h"

#include <algorithm>
#include <cassert>

using namespace photofinish;

namespace {

constexpr unsigned MaxNames = 8; // threads, locks or locations

class Enumerator {
public:
  Enumerator(const EnumerateOptions &Options, llvm::function_ref<bool(const Trace &)> Visit)
      : O(Options), Visit(Visit) {
    assert(O.Threads <= MaxNames && O.Locks <= MaxNames && O.Locations <= MaxNames);
    Ops.reserve(O.MaxOperations);
  }

  uint64_t run() {
    if (O.MaxOperations != 0)
      extend();
    return Visited;
  }

private:
  /// Everything that decides what can come next. Sets of threads are bit masks.
  struct State {
    uint8_t Writer[MaxNames] = {};  ///< by lock: the exclusive owner, as a set
    uint8_t Readers[MaxNames] = {}; ///< by lock
    uint8_t Ran = 0;                ///< threads that have done something
    uint8_t Joined = 0;
    uint8_t Threads = 0; ///< how many names have been used
    uint8_t Locks = 0;
    uint8_t Locations = 0;
  };

  /// All traces that extend the present one.
  void extend() {
    const unsigned Last = std::min(S.Threads + 1u, O.Threads);
    for (unsigned T = 0; T < Last; ++T) {
      if (S.Joined >> T & 1)
        continue;
      // What any operation of T changes; each alternative below restores the rest.
      const uint8_t Threads = S.Threads, Ran = S.Ran;
      S.Threads = std::max<uint8_t>(S.Threads, uint8_t(T + 1));
      S.Ran |= uint8_t(1u << T);
      accesses(T);
      locks(T);
      if (O.ForkJoin)
        forksAndJoins(T, Ran);
      S.Threads = Threads;
      S.Ran = Ran;
    }
  }

  void accesses(unsigned T) {
    const unsigned Last = std::min(S.Locations + 1u, O.Locations);
    for (unsigned X = 0; X < Last; ++X) {
      const uint8_t Locations = S.Locations;
      S.Locations = std::max<uint8_t>(S.Locations, uint8_t(X + 1));
      const auto Access = [&](OpKind Kind, MemoryOrder Order = MemoryOrder::Relaxed) {
        visit(T, Kind, EnumerateOptions::FirstLocation + X, 1, Order);
      };
      Access(OpKind::Read);
      Access(OpKind::Write);
      if (O.Atomics) {
        Access(OpKind::AtomicLoad);
        Access(OpKind::AtomicLoad, MemoryOrder::Acquire);
        Access(OpKind::AtomicStore);
        Access(OpKind::AtomicStore, MemoryOrder::Release);
        Access(OpKind::AtomicRmw);
        Access(OpKind::AtomicRmw, MemoryOrder::AcqRel);
      }
      S.Locations = Locations;
    }
  }

  void locks(unsigned T) {
    const uint8_t Me = uint8_t(1u << T);
    const unsigned Last = std::min(S.Locks + 1u, O.Locks);
    for (unsigned M = 0; M < Last; ++M) {
      const uint8_t Locks = S.Locks, Writer = S.Writer[M], Readers = S.Readers[M];
      S.Locks = std::max<uint8_t>(S.Locks, uint8_t(M + 1));
      if (Writer == 0 && Readers == 0) {
        S.Writer[M] = Me;
        visit(T, OpKind::Acquire, M);
      } else if (Writer == Me) {
        S.Writer[M] = 0;
        visit(T, OpKind::Release, M);
      }
      S.Writer[M] = Writer;
      if (O.ReadLocks && Writer == 0) {
        S.Readers[M] = Readers ^ Me;
        visit(T, Readers & Me ? OpKind::ReadUnlock : OpKind::ReadLock, M);
        S.Readers[M] = Readers;
      }
      S.Locks = Locks;
    }
  }

  void forksAndJoins(unsigned T, uint8_t RanBefore) {
    if (S.Threads < O.Threads) { // a new thread: all others have run or been forked
      const uint8_t U = S.Threads++;
      visit(T, OpKind::Fork, U);
      --S.Threads;
    }
    for (unsigned U = 0; U < S.Threads; ++U)
      if (U != T && (RanBefore >> U & 1)) {
        const uint8_t Joined = S.Joined;
        S.Joined |= uint8_t(1u << U);
        visit(T, OpKind::Join, U);
        S.Joined = Joined;
      }
  }

  void visit(unsigned T, OpKind Kind, uint64_t Target, uint64_t Size = 0,
             MemoryOrder Order = MemoryOrder::Relaxed) {
    Operation &Op = Ops.emplace_back();
    Op.Kind = Kind;
    Op.Order = Order;
    Op.Thread = T;
    Op.Target = Target;
    Op.Size = Size;
    Op.Site = SiteId(Ops.size());
    ++Visited;
    if (Visit(Ops) && Ops.size() < O.MaxOperations)
      extend();
    Ops.pop_back();
  }

  const EnumerateOptions O;
  llvm::function_ref<bool(const Trace &)> Visit;
  State S;
  Trace Ops;
  uint64_t Visited = 0;
};

} // namespace

uint64_t photofinish::enumerate(const EnumerateOptions &Options,
                                llvm::function_ref<bool(const Trace &)> Visit) {
  return Enumerator(Options, Visit).run();
}
