//===- shrink.cpp - The smallest trace that still fails --------------------===//
//
// Passes over the trace, from coarse to fine, repeated until none of them finds
// anything:
//
//   groups    everything that a thread does, everything about a lock, a barrier, ...
//   chunks    n/2 operations, n/4, ..., single ones
//   pairs     two operations that only go together: acq and rel, rel and the next acq
//   order     a thread's operations move together
//   merging   two threads become one; two locks, two locations
//   lowering  smaller sizes, weaker orders, lower addresses, dense numbers
//
// It ends because every accepted candidate is less than the trace before it: it has
// fewer operations, or as many with fewer switches between threads, or as many of
// both with a smaller sum of all their numbers.
//
//===----------------------------------------------------------------------===//

#include "trace/shrink.h"

#include "trace/feasibility.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

using namespace photofinish;

namespace {

using OpPredicate = llvm::function_ref<bool(const Operation &)>;

bool isMemory(const Operation &Op) { return opInfo(Op.Kind).Target == TargetKind::Memory; }

/// Does Op name object Id of the given kind, as its operand or as the lock it waits with?
bool names(const Operation &Op, TargetKind Kind, uint64_t Id) {
  if (Kind == TargetKind::Lock && (Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake))
    return Op.Lock == Id;
  return opInfo(Op.Kind).Target == Kind && Op.Target == Id;
}

/// May it take both of A and B to leave out one of them?
bool belongTogether(const Operation &A, const Operation &B) {
  const TargetKind Kind = opInfo(A.Kind).Target;
  const bool IsAllocation = A.Kind == OpKind::Allocate || A.Kind == OpKind::Free;
  switch (Kind) {
  case TargetKind::None:
    return A.Kind == OpKind::Begin && B.Kind == OpKind::End && A.Thread == B.Thread;
  case TargetKind::Memory:
    return IsAllocation && isMemory(B) && !isAccess(A.Kind) != !isAccess(B.Kind) &&
           A.Target == B.Target;
  case TargetKind::Thread:
    return names(B, Kind, A.Target);
  default:
    return A.Thread == B.Thread && (names(B, Kind, A.Target) ||
                                    (A.Kind == OpKind::Wake && names(B, TargetKind::Lock, A.Lock)));
  }
}

class Shrinker {
public:
  Shrinker(Trace Failing, llvm::function_ref<bool(const Trace &)> StillFails)
      : Best(std::move(Failing)), StillFails(StillFails) {}

  Trace run() {
    for (bool Progress = true; Progress;) {
      Progress = dropGroups();
      Progress |= dropChunks();
      Progress |= dropPairs();
      Progress |= straighten();
      Progress |= mergeThreads();
      Progress |= mergeObjects();
      Progress |= lowerOperands();
      Progress |= lowerAddresses(/*KeepAlignment=*/true);
      Progress |= lowerAddresses(/*KeepAlignment=*/false);
      Progress |= renumber();
    }
    return std::move(Best);
  }

private:
  bool isLess(const Trace &A, const Trace &B) const {
    const auto Measure = [](const Trace &Ops) {
      uint64_t Memory = 0, Rest = 0, Switches = 0;
      for (const Operation &Op : Ops) {
        Switches += &Op != &Ops.front() && Op.Thread != (&Op - 1)->Thread;
        (isMemory(Op) ? Memory : Rest) += Op.Target;
        Rest += Op.Size + Op.Lock + Op.Thread + unsigned(Op.Order);
      }
      return std::tuple(Ops.size(), Switches, Rest, Memory);
    };
    return Measure(A) < Measure(B);
  }

  bool accept(Trace Candidate) {
    if (!isLess(Candidate, Best) || !isFeasible(Candidate) || !StillFails(Candidate))
      return false;
    Best = std::move(Candidate);
    return true;
  }

  bool dropAll(OpPredicate Drop) {
    Trace Candidate;
    llvm::copy_if(Best, std::back_inserter(Candidate),
                  [&](const Operation &Op) { return !Drop(Op); });
    return accept(std::move(Candidate));
  }

  template <typename Change> bool changeAll(Change Edit) {
    Trace Candidate = Best;
    for (Operation &Op : Candidate)
      Edit(Op);
    return accept(std::move(Candidate));
  }

  std::set<uint64_t> used(TargetKind Kind) const {
    std::set<uint64_t> Ids;
    for (const Operation &Op : Best) {
      if (opInfo(Op.Kind).Target == Kind)
        Ids.insert(Op.Target);
      if (Kind == TargetKind::Lock && (Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake))
        Ids.insert(Op.Lock);
      if (Kind == TargetKind::Thread)
        Ids.insert(Op.Thread);
    }
    return Ids;
  }

  bool dropGroups() {
    bool Progress = false;
    for (uint64_t T : used(TargetKind::Thread))
      Progress |= dropAll(
          [&](const Operation &Op) { return Op.Thread == T || names(Op, TargetKind::Thread, T); });
    for (TargetKind Kind : {TargetKind::Condition, TargetKind::Lock, TargetKind::Barrier,
                            TargetKind::Once, TargetKind::Memory})
      for (uint64_t Id : used(Kind))
        Progress |= dropAll([&](const Operation &Op) { return names(Op, Kind, Id); });
    return Progress;
  }

  /// From the end to the beginning: what comes late depends on what comes early.
  bool dropChunks() {
    bool Progress = false;
    for (size_t Size = std::max<size_t>(Best.size() / 2, 1); Size != 0; Size /= 2)
      for (size_t End = Best.size(); End != 0;) {
        const size_t Begin = End > Size ? End - Size : 0;
        Trace Candidate(Best.begin(), Best.begin() + ptrdiff_t(Begin));
        Candidate.insert(Candidate.end(), Best.begin() + ptrdiff_t(End), Best.end());
        Progress |= accept(std::move(Candidate));
        End = Begin;
      }
    return Progress;
  }

  bool dropPairs() {
    bool Progress = false;
    for (size_t I = Best.size(); I-- != 0;)
      for (size_t J = I + 1; J < Best.size(); ++J)
        if (belongTogether(Best[I], Best[J])) {
          Trace Candidate = Best;
          Candidate.erase(Candidate.begin() + ptrdiff_t(J));
          Candidate.erase(Candidate.begin() + ptrdiff_t(I));
          if (accept(std::move(Candidate))) {
            Progress = true;
            break;
          }
        }
    return Progress;
  }

  /// What a thread does in one go moves up to what it has done before.
  bool straighten() {
    bool Progress = false;
    const auto Same = [&](size_t I, size_t J) { return Best[I].Thread == Best[J].Thread; };
    for (size_t I = 1; I < Best.size(); ++I) {
      size_t Before = I, End = I + 1;
      while (Before != 0 && !Same(Before - 1, I))
        --Before;
      while (End != Best.size() && Same(End, I))
        ++End;
      if (Before == 0 || Before == I)
        continue;
      Trace Candidate = Best;
      const auto At = [&](size_t Index) { return Candidate.begin() + ptrdiff_t(Index); };
      std::rotate(At(Before), At(I), At(End));
      Progress |= accept(std::move(Candidate));
    }
    return Progress;
  }

  /// T's operations become U's; a thread that does not exist is neither forked nor
  /// joined, and starts and ends with the one that it has become part of.
  bool mergeThreads() {
    bool Progress = false;
    const std::set<uint64_t> Threads = used(TargetKind::Thread);
    for (uint64_t T : llvm::reverse(Threads))
      for (uint64_t U : Threads) {
        if (U >= T)
          break;
        Trace Candidate;
        for (Operation Op : Best) {
          if (names(Op, TargetKind::Thread, T) ||
              (Op.Thread == T && (Op.Kind == OpKind::Begin || Op.Kind == OpKind::End)))
            continue;
          Op.Thread = Op.Thread == T ? ThreadId(U) : Op.Thread;
          Candidate.push_back(Op);
        }
        if (accept(std::move(Candidate))) {
          Progress = true;
          break;
        }
      }
    return Progress;
  }

  static void rename(Operation &Op, TargetKind Kind, uint64_t From, uint64_t To) {
    if (!names(Op, Kind, From))
      return;
    if (opInfo(Op.Kind).Target == Kind)
      Op.Target = To;
    else
      Op.Lock = uint32_t(To);
  }

  bool mergeObjects() {
    bool Progress = false;
    for (TargetKind Kind : {TargetKind::Lock, TargetKind::Condition, TargetKind::Barrier,
                            TargetKind::Once, TargetKind::Memory}) {
      const std::set<uint64_t> Ids = used(Kind);
      for (uint64_t From : llvm::reverse(Ids))
        for (uint64_t To : Ids) {
          if (To >= From)
            break;
          if (changeAll([&](Operation &Op) { rename(Op, Kind, From, To); })) {
            Progress = true;
            break;
          }
        }
    }
    return Progress;
  }

  bool lowerOperands() {
    bool Progress = false;
    // All accesses to the same bytes at once, so that an alloc and its free stay together.
    std::set<std::pair<uint64_t, uint64_t>> Ranges;
    for (const Operation &Op : Best)
      if (isMemory(Op))
        Ranges.insert({Op.Target, Op.Size});
    for (auto [Target, Size] : Ranges)
      for (uint64_t Smaller : {uint64_t(1), Size / 2, Size - 1})
        if (Smaller != 0 && changeAll([&, T = Target, S = Size](Operation &Op) {
              if (isMemory(Op) && Op.Target == T && Op.Size == S)
                Op.Size = Smaller;
            })) {
          Progress = true;
          break;
        }
    for (size_t I = 0; I < Best.size(); ++I) {
      const Operation &Op = Best[I];
      if (isMemory(Op) && Op.Size > 1)
        Progress |= change(I, [](Operation &O) { O.Size = 1; });
      if (isAtomicAccess(Op.Kind) && Op.Order != MemoryOrder::Relaxed)
        Progress |= change(I, [](Operation &O) { O.Order = MemoryOrder::Relaxed; });
    }
    return Progress;
  }

  template <typename Edit> bool change(size_t I, Edit How) {
    Trace Candidate = Best;
    How(Candidate[I]);
    return accept(std::move(Candidate));
  }

  /// Pieces of memory that nothing bridges move down to 0x10 and on, in their order.
  bool lowerAddresses(bool KeepAlignment) {
    std::map<uint64_t, uint64_t> Pieces; // begin -> end
    for (const Operation &Op : Best)
      if (isMemory(Op))
        Pieces[Op.Target] = std::max(Pieces[Op.Target], Op.Target + Op.Size);
    std::map<uint64_t, uint64_t> Moved; // begin of an access -> its new place
    uint64_t End = 0, NewEnd = 0x10, Shift = 0;
    for (auto [Begin, PieceEnd] : Pieces) {
      if (Moved.empty() || Begin >= End) {
        const uint64_t Place = ((NewEnd + 15) & ~uint64_t(15)) + (KeepAlignment ? Begin % 16 : 0);
        Shift = Begin - Place; // wraps around if the piece would move up
      }
      Moved[Begin] = Begin - Shift;
      End = std::max(End, PieceEnd);
      NewEnd = End - Shift;
    }
    return changeAll([&](Operation &Op) {
      if (isMemory(Op))
        Op.Target = Moved[Op.Target];
    });
  }

  /// Threads, locks and so on become 0, 1, 2, ...
  bool renumber() {
    bool Progress = false;
    for (TargetKind Kind : {TargetKind::Thread, TargetKind::Lock, TargetKind::Condition,
                            TargetKind::Barrier, TargetKind::Once}) {
      std::map<uint64_t, uint64_t> Rank;
      for (uint64_t Id : used(Kind))
        Rank.emplace(Id, Rank.size());
      Progress |= changeAll([&](Operation &Op) {
        if (opInfo(Op.Kind).Target == Kind)
          Op.Target = Rank[Op.Target];
        if (Kind == TargetKind::Lock && (Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake))
          Op.Lock = uint32_t(Rank[Op.Lock]);
        if (Kind == TargetKind::Thread)
          Op.Thread = ThreadId(Rank[Op.Thread]);
      });
    }
    return Progress;
  }

  Trace Best;
  llvm::function_ref<bool(const Trace &)> StillFails;
};

} // namespace

Trace photofinish::shrink(Trace Failing, llvm::function_ref<bool(const Trace &)> StillFails) {
  return Shrinker(std::move(Failing), StillFails).run();
}
