//===- lockset_oracle.cpp - Every lockset race, from the definition -------===//
//
// First every access gets its lockset, in one walk over the trace that keeps what each
// thread holds. Then each byte is looked at alone: the events of every life of it are
// listed, and all pairs of a list are compared.
//
// A byte stands for all bytes that exactly the same operations touch: the address space
// is cut wherever some access or allocation begins or ends, and one byte of every piece
// is looked at.
//
//===----------------------------------------------------------------------===//

#include "trace/lockset_oracle.h"

#include <algorithm>
#include <map>

namespace photofinish {
namespace {

/// A lock of the program or one of the definition's dummy locks.
struct AnyLock {
  enum Kind { Program, OfThread, OfAtomics } Class;
  uint64_t Id;
  auto operator<=>(const AnyLock &) const = default;
};
using Lockset = std::set<AnyLock>;

bool disjoint(const Lockset &A, const Lockset &B) {
  return std::none_of(A.begin(), A.end(), [&](const AnyLock &L) { return B.count(L); });
}

/// What one thread holds at a moment.
struct Held {
  Lockset Exclusive;
  Lockset Shared;
  Lockset Joined; ///< dummy locks of the threads that it has joined
};

Lockset locksetOf(const Operation &Access, const Held &Now) {
  Lockset Locks = Now.Exclusive;
  if (!isWriteAccess(Access.Kind))
    Locks.insert(Now.Shared.begin(), Now.Shared.end());
  Locks.insert(Now.Joined.begin(), Now.Joined.end());
  Locks.insert({AnyLock::OfThread, Access.Thread});
  if (isAtomicAccess(Access.Kind))
    Locks.insert({AnyLock::OfAtomics, 0});
  return Locks;
}

/// The lockset of every access, at its index; the other operations have none.
std::vector<Lockset> locksetsOf(const Trace &Ops) {
  std::map<ThreadId, Held> Threads;
  std::vector<Lockset> Locksets(Ops.size());
  for (size_t I = 0; I < Ops.size(); ++I) {
    const Operation &Op = Ops[I];
    Held &Now = Threads[Op.Thread];
    switch (Op.Kind) {
    case OpKind::Acquire:
      Now.Exclusive.insert({AnyLock::Program, Op.Target});
      break;
    case OpKind::Release:
      Now.Exclusive.erase({AnyLock::Program, Op.Target});
      break;
    case OpKind::Wait:
      Now.Exclusive.erase({AnyLock::Program, Op.Lock});
      break;
    case OpKind::Wake:
      Now.Exclusive.insert({AnyLock::Program, Op.Lock});
      break;
    case OpKind::ReadLock:
      Now.Shared.insert({AnyLock::Program, Op.Target});
      break;
    case OpKind::ReadUnlock:
      Now.Shared.erase({AnyLock::Program, Op.Target});
      break;
    case OpKind::Join:
      Now.Joined.insert({AnyLock::OfThread, Op.Target});
      break;
    default:
      if (isAccess(Op.Kind))
        Locksets[I] = locksetOf(Op, Now);
    }
  }
  return Locksets;
}

bool covers(const Operation &Op, uint64_t Byte) {
  return Byte >= Op.Target && Byte - Op.Target < Op.Size;
}

/// The access events of the byte, a list for each of its lives.
std::vector<std::vector<size_t>> eventsOfByte(const Trace &Ops, uint64_t Byte) {
  std::vector<std::vector<size_t>> Lives(1);
  bool HasOwner = false, IsShared = false;
  ThreadId Owner = 0;
  for (size_t I = 0; I < Ops.size(); ++I) {
    const Operation &Op = Ops[I];
    if (Op.Kind == OpKind::Allocate && covers(Op, Byte)) {
      Lives.emplace_back();
      HasOwner = IsShared = false;
    } else if (isAccess(Op.Kind) && covers(Op, Byte)) {
      if (!HasOwner) {
        HasOwner = true;
        Owner = Op.Thread;
      }
      IsShared = IsShared || Op.Thread != Owner;
      if (IsShared)
        Lives.back().push_back(I);
    }
  }
  return Lives;
}

/// Where accesses and allocations begin and end, in order: between two neighbours, all
/// bytes have the same operations.
std::vector<uint64_t> cuts(const Trace &Ops) {
  std::vector<uint64_t> Cuts;
  for (const Operation &Op : Ops)
    if (isAccess(Op.Kind) || Op.Kind == OpKind::Allocate) {
      Cuts.push_back(Op.Target);
      Cuts.push_back(Op.Target + Op.Size);
    }
  std::sort(Cuts.begin(), Cuts.end());
  Cuts.erase(std::unique(Cuts.begin(), Cuts.end()), Cuts.end());
  return Cuts;
}

} // namespace

LocksetOracleResult runLocksetOracle(const Trace &Ops) {
  const std::vector<Lockset> Locksets = locksetsOf(Ops);
  auto Race = [&](size_t A, size_t B) {
    return Ops[A].Thread != Ops[B].Thread &&
           (isWriteAccess(Ops[A].Kind) || isWriteAccess(Ops[B].Kind)) &&
           disjoint(Locksets[A], Locksets[B]);
  };

  LocksetOracleResult Result;
  const std::vector<uint64_t> Cuts = cuts(Ops);
  for (size_t C = 0; C + 1 < Cuts.size(); ++C) {
    bool Racy = false;
    for (const std::vector<size_t> &Events : eventsOfByte(Ops, Cuts[C]))
      for (size_t I = 0; I < Events.size(); ++I)
        for (size_t J = I + 1; J < Events.size(); ++J)
          if (Race(Events[I], Events[J])) {
            Result.Races.emplace_back(Events[I], Events[J]);
            Racy = true;
          }
    for (uint64_t Byte = Cuts[C]; Racy && Byte < Cuts[C + 1]; ++Byte)
      Result.RacyBytes.insert(Result.RacyBytes.end(), Byte);
  }
  // A pair that races on several pieces has been found on each.
  std::sort(Result.Races.begin(), Result.Races.end());
  Result.Races.erase(std::unique(Result.Races.begin(), Result.Races.end()), Result.Races.end());
  return Result;
}

} // namespace photofinish
