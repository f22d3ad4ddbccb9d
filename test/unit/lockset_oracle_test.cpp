//===- lockset_oracle_test.cpp - The judge of the lockset detector is right ===//
//
// Hand-made traces for every clause of the definition in lockset_oracle.h, each with its
// counterpart. Because of ownership the first access of a byte is no event: where a case
// is about locks, thread 9 touches the bytes first, so that they are shared from the
// next access on.
//
// At the end, random traces against a byte-by-byte transcription of the definition.
//
//===----------------------------------------------------------------------===//

#include "test/unit/random_trace.h"
#include "test/unit/trace_builder.h"
#include "trace/lockset_oracle.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;
using Bytes = std::set<uint64_t>;

constexpr auto Rlx = MemoryOrder::Relaxed;
constexpr auto SC = MemoryOrder::SeqCst;
constexpr uint64_t X = 0x100, Y = 0x200;
constexpr uint32_t M = 1, N = 2, C = 3, B = 5, O = 7;

/// A trace where X and Y have an owner, thread 9, that is none of the threads of the case.
TraceBuilder owned() { return TraceBuilder().read(9, X, 16).read(9, Y, 16); }
constexpr size_t First = 2; ///< index of the first operation after owned()

Pairs races(const Trace &Ops) { return runLocksetOracle(Ops).Races; }

//===----------------------------------------------------------------------===//
// Locksets
//===----------------------------------------------------------------------===//

TEST(LocksetOracle, NeedsAWriteAndTwoThreads) {
  EXPECT_EQ(races(owned().write(0, X).write(1, X)), (Pairs{{First, First + 1}}));
  EXPECT_EQ(races(owned().read(0, X).write(1, X)), (Pairs{{First, First + 1}}));
  EXPECT_EQ(races(owned().write(0, X).read(1, X)), (Pairs{{First, First + 1}}));
  EXPECT_EQ(races(owned().read(0, X).read(1, X)), Pairs());
  EXPECT_EQ(races(owned().write(0, X).write(0, X)), Pairs());
  EXPECT_EQ(races(owned().write(0, X).write(1, Y)), Pairs());
  EXPECT_EQ(races(Trace()), Pairs());
}

TEST(LocksetOracle, ACommonLockProtects) {
  EXPECT_EQ(races(owned().acq(0, M).write(0, X).rel(0, M).acq(1, M).write(1, X).rel(1, M)),
            Pairs());
  // One of several suffices.
  EXPECT_EQ(
      races(owned().acq(0, M).acq(0, N).write(0, X).rel(0, M).rel(0, N).acq(1, N).write(1, X).rel(
          1, N)),
      Pairs());
  // Two locks that are not the same.
  EXPECT_EQ(races(owned().acq(0, M).write(0, X).rel(0, M).acq(1, N).write(1, X).rel(1, N)),
            (Pairs{{First + 1, First + 4}}));
  // A lock protects from acq to rel only.
  EXPECT_EQ(races(owned().acq(0, M).rel(0, M).write(0, X).acq(1, M).write(1, X)),
            (Pairs{{First + 2, First + 4}}));
}

TEST(LocksetOracle, OrderByALockIsNotProtection) {
  // Happens-before orders the writes through m; the definition asks for a lock at both.
  EXPECT_EQ(races(owned().write(0, X).acq(0, M).rel(0, M).acq(1, M).rel(1, M).write(1, X)),
            (Pairs{{First, First + 5}}));
}

TEST(LocksetOracle, LocksArePairwiseNotGlobal) {
  // {m,n}, {n,o}, {m,o}: every two accesses share a lock, though no lock is common to all.
  // Eraser's intersection would be empty and report a race.
  EXPECT_EQ(races(owned()
                      .acq(0, M)
                      .acq(0, N)
                      .write(0, X)
                      .rel(0, M)
                      .rel(0, N)
                      .acq(1, N)
                      .acq(1, O)
                      .write(1, X)
                      .rel(1, N)
                      .rel(1, O)
                      .acq(2, M)
                      .acq(2, O)
                      .write(2, X)),
            Pairs());
}

TEST(LocksetOracle, SharedLocksProtectReadsOnly) {
  // Reader shared, writer exclusive: protected.
  EXPECT_EQ(races(owned().rlk(0, M).read(0, X).rul(0, M).acq(1, M).write(1, X)), Pairs());
  EXPECT_EQ(races(owned().acq(1, M).write(1, X).rel(1, M).rlk(0, M).read(0, X)), Pairs());
  // Whoever writes under a shared lock is not protected from anybody by it.
  EXPECT_EQ(races(owned().rlk(0, M).write(0, X).rul(0, M).acq(1, M).write(1, X)),
            (Pairs{{First + 1, First + 4}}));
  EXPECT_EQ(races(owned().rlk(0, M).write(0, X).rlk(1, M).read(1, X)),
            (Pairs{{First + 1, First + 3}}));
  // A shared lock given back protects no more.
  EXPECT_EQ(races(owned().rlk(0, M).rul(0, M).read(0, X).acq(1, M).write(1, X)),
            (Pairs{{First + 2, First + 4}}));
}

TEST(LocksetOracle, SharedLocksDoNotProtectOtherKindsOfWrites) {
  // Atomic writes and frees are writes: the plain accesses of 1 race with them.
  EXPECT_EQ(races(owned().rlk(0, M).astore(0, X, SC).rul(0, M).acq(1, M).read(1, X)),
            (Pairs{{First + 1, First + 4}}));
  EXPECT_EQ(races(owned().rlk(0, M).armw(0, X, SC).rul(0, M).acq(1, M).read(1, X)),
            (Pairs{{First + 1, First + 4}}));
  // An atomic load is a read.
  EXPECT_EQ(races(owned().rlk(0, M).aload(0, X, SC).rul(0, M).acq(1, M).write(1, X)), Pairs());
  // 9 makes the allocation shared before 1 frees it.
  EXPECT_EQ(races(TraceBuilder()
                      .alloc(9, X, 4)
                      .read(9, X, 4)
                      .acq(0, M)
                      .read(0, X, 4)
                      .rel(0, M)
                      .rlk(1, M)
                      .free(1, X, 4)),
            (Pairs{{3, 6}}));
}

TEST(LocksetOracle, WaitGivesTheLockBackAndWakeTakesItAgain) {
  // After the wake, 0 holds m again: its write and 1's have it in common.
  EXPECT_EQ(races(owned()
                      .acq(0, M)
                      .wait(0, C, M)
                      .acq(1, M)
                      .write(1, X)
                      .rel(1, M)
                      .wake(0, C, M)
                      .write(0, X)
                      .rel(0, M)),
            Pairs());
  // After wake and rel it is gone for good.
  EXPECT_EQ(races(owned()
                      .acq(0, M)
                      .wait(0, C, M)
                      .acq(1, M)
                      .write(1, X)
                      .rel(1, M)
                      .wake(0, C, M)
                      .rel(0, M)
                      .write(0, X)),
            (Pairs{{First + 3, First + 7}}));
}

TEST(LocksetOracle, WaitLeavesTheLockset) {
  // No feasible thread accesses memory while it waits; the set at that moment still has
  // to be right, because an infeasible end of a trace must not crash or hide anything.
  EXPECT_EQ(races(owned().acq(0, M).wait(0, C, M).write(0, X).acq(1, M).write(1, X)),
            (Pairs{{First + 2, First + 4}}));
}

TEST(LocksetOracle, WaitNamesItsLockNotItsCondition) {
  // The condition has the number of a lock that 0 holds throughout.
  EXPECT_EQ(races(owned()
                      .acq(0, C)
                      .acq(0, M)
                      .wait(0, C, M)
                      .wake(0, C, M)
                      .rel(0, M)
                      .write(0, X)
                      .rel(0, C)
                      .acq(1, C)
                      .write(1, X)),
            Pairs());
}

//===----------------------------------------------------------------------===//
// Dummy locks
//===----------------------------------------------------------------------===//

TEST(LocksetOracle, JoinProtects) {
  // After the join 0 holds S_1, which 1 has held all the time.
  EXPECT_EQ(races(owned().write(1, X).exit(1).join(0, 1).write(0, X)), Pairs());
  // Not before it, not for others, and not the other way round.
  EXPECT_EQ(races(owned().write(1, X).write(0, X).join(0, 1)), (Pairs{{First, First + 1}}));
  EXPECT_EQ(races(owned().write(1, X).join(0, 1).write(2, X)), (Pairs{{First, First + 2}}));
  EXPECT_EQ(races(owned().write(0, X).write(1, X).join(0, 1).write(0, X)),
            (Pairs{{First, First + 1}}));
}

TEST(LocksetOracle, JoinLastsForever) {
  EXPECT_EQ(races(owned().write(1, X).join(0, 1).acq(0, M).rel(0, M).join(0, 9).write(0, X)),
            Pairs());
}

TEST(LocksetOracle, JoinIsNotTransitive) {
  // 0 joins 2 and 2 had joined 1: 0 holds S_2, which 1 never held.
  EXPECT_EQ(races(owned().write(1, X).join(2, 1).join(0, 2).write(0, X)),
            (Pairs{{First, First + 3}}));
}

TEST(LocksetOracle, TwoJoinersShareTheDummyLock) {
  // The letter of the definition: both hold S_1 from their joins on, forever.
  EXPECT_EQ(races(owned().read(1, Y).join(0, 1).join(2, 1).write(0, X).write(2, X)), Pairs());
}

TEST(LocksetOracle, DummyLocksAreNoProgramLocks) {
  // Lock 1 and the dummy lock of thread 1 are two locks.
  EXPECT_EQ(races(owned().acq(0, 1).write(0, X).rel(0, 1).write(1, X)),
            (Pairs{{First + 1, First + 3}}));
  // So are lock 0 and the dummy lock of atomics.
  EXPECT_EQ(races(owned().acq(1, 0).write(1, X).rel(1, 0).astore(2, X, SC)),
            (Pairs{{First + 1, First + 3}}));
}

TEST(LocksetOracle, AtomicsProtectEachOtherOnly) {
  EXPECT_EQ(races(owned().astore(0, X, Rlx).armw(1, X, Rlx).aload(2, X, Rlx)), Pairs());
  EXPECT_EQ(races(owned().astore(0, X, SC).read(1, X)), (Pairs{{First, First + 1}}));
  EXPECT_EQ(races(owned().aload(0, X, SC).write(1, X)), (Pairs{{First, First + 1}}));
  EXPECT_EQ(races(owned().aload(0, X, SC).read(1, X)), Pairs());
}

//===----------------------------------------------------------------------===//
// What orders nothing
//===----------------------------------------------------------------------===//

TEST(LocksetOracle, EverythingElseOrdersNothing) {
  // Each of these would order the two writes under happens-before.
  EXPECT_EQ(races(owned().write(0, X).fork(0, 1).write(1, X)), (Pairs{{First, First + 2}}));
  EXPECT_EQ(races(owned().write(0, X).arrive(0, B).arrive(1, B).depart(1, B).write(1, X)),
            (Pairs{{First, First + 4}}));
  EXPECT_EQ(races(owned().write(0, X).once(0, O).once(1, O).write(1, X)),
            (Pairs{{First, First + 3}}));
  EXPECT_EQ(races(owned().write(0, X).astore(0, Y, SC).aload(1, Y, SC).write(1, X)),
            (Pairs{{First, First + 3}}));
  EXPECT_EQ(races(owned().write(0, X).fence(0, SC).notify(0, C).fence(1, SC).write(1, X)),
            (Pairs{{First, First + 4}}));
}

//===----------------------------------------------------------------------===//
// Ownership
//===----------------------------------------------------------------------===//

TEST(LocksetOracle, TheOwnersFirstAccessesAreNoEvents) {
  // 0 initialises without a lock and hands over; 1 uses the bytes alone.
  EXPECT_EQ(races(TraceBuilder().write(0, X).write(0, X).fork(0, 1).write(1, X).write(1, X)),
            Pairs());
  // The access that ends the ownership is an event, and so is the owner's next one.
  EXPECT_EQ(races(TraceBuilder().write(0, X).write(1, X).read(0, X)), (Pairs{{1, 2}}));
  // A read begins the ownership and ends it as well as a write does.
  EXPECT_EQ(races(TraceBuilder().read(0, X).read(1, X).write(0, X)), (Pairs{{1, 2}}));
  EXPECT_EQ(races(TraceBuilder().aload(0, X, Rlx).aload(1, X, Rlx).write(0, X)), (Pairs{{1, 2}}));
}

TEST(LocksetOracle, OwnershipIsNeverTakenUpAgain) {
  // A hundred quiet accesses of the owner later, its accesses are still events.
  TraceBuilder T;
  T.write(0, X).read(1, X);
  for (int I = 0; I < 100; ++I)
    T.read(0, X);
  T.write(0, X);
  EXPECT_EQ(races(T), (Pairs{{1, T.last()}}));
}

TEST(LocksetOracle, OwnershipIsPerByte) {
  // 0 owns four bytes; 1 touches two of them. Only those are shared when 0 comes back.
  LocksetOracleResult R =
      runLocksetOracle(TraceBuilder().write(0, X, 4).write(1, X + 2, 4).write(0, X, 6));
  EXPECT_EQ(R.Races, (Pairs{{1, 2}}));
  // On the bytes that 1 was the first to touch, 1 is the owner and 0's access the first event.
  EXPECT_EQ(R.RacyBytes, (Bytes{X + 2, X + 3}));
}

TEST(LocksetOracle, AFreeIsAnAccess) {
  // As the first access it takes ownership; as the second it ends it, and is a write.
  EXPECT_EQ(races(TraceBuilder().alloc(0, X, 4).free(0, X, 4).read(1, X).read(0, X)), Pairs());
  EXPECT_EQ(races(TraceBuilder().alloc(0, X, 4).write(0, X).free(1, X, 4).read(0, X)),
            (Pairs{{2, 3}}));
}

TEST(LocksetOracle, AllocateStartsAnew) {
  // The new life has no history ...
  EXPECT_EQ(races(TraceBuilder()
                      .alloc(0, X, 4)
                      .read(0, X)
                      .write(1, X)
                      .free(1, X, 4)
                      .alloc(2, X, 4)
                      .write(2, X)
                      .write(2, X)),
            Pairs());
  // ... and a new owner: 3's access in the second life is the first event there.
  EXPECT_EQ(races(TraceBuilder()
                      .alloc(0, X, 4)
                      .read(0, X)
                      .write(1, X)
                      .free(1, X, 4)
                      .alloc(2, X, 4)
                      .write(2, X)
                      .write(3, X)
                      .write(2, X)),
            (Pairs{{6, 7}}));
  // The allocation itself is no access: 2 does not own what it never touched.
  EXPECT_EQ(races(TraceBuilder().alloc(2, X, 4).write(0, X).write(0, X)), Pairs());
  // A part of the bytes is new, the others are the same as before.
  EXPECT_EQ(runLocksetOracle(owned().write(0, X, 4).alloc(2, X + 1, 2).write(1, X, 4)).RacyBytes,
            (Bytes{X, X + 3}));
}

TEST(LocksetOracle, FreeAloneDoesNotStartAnew) {
  // Use after free: 0's read is of the life that 1 has ended.
  EXPECT_EQ(races(TraceBuilder().alloc(0, X, 4).write(0, X).free(1, X, 4).read(2, X)),
            (Pairs{{2, 3}}));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

TEST(LocksetOracle, ExactBytesAndEveryPairOnce) {
  // The two writes share four bytes, cut in pieces by 2's read; the pair is listed once.
  LocksetOracleResult R =
      runLocksetOracle(owned().write(0, X, 6).write(1, X + 2, 8).read(2, X + 4));
  EXPECT_EQ(R.Races, (Pairs{{2, 3}, {2, 4}, {3, 4}}));
  EXPECT_EQ(R.RacyBytes, (Bytes{X + 2, X + 3, X + 4, X + 5}));
}

TEST(LocksetOracle, PairsOfTheSamePieceAreToldApart) {
  // Only the second pair lacks a common lock.
  EXPECT_EQ(
      races(owned().acq(0, M).write(0, X).rel(0, M).acq(1, M).write(1, X).rel(1, M).write(2, X)),
      (Pairs{{First + 1, First + 6}, {First + 4, First + 6}}));
}

//===----------------------------------------------------------------------===//
// Random traces against the definition, read once more
//===----------------------------------------------------------------------===//

/// Whether thread T holds the program's lock at index I, by counting what it took and gave.
bool holds(const Trace &Ops, size_t I, ThreadId T, uint64_t Lock, bool Shared) {
  int Held = 0;
  for (size_t J = 0; J < I; ++J) {
    const Operation &Op = Ops[J];
    if (Op.Thread != T)
      continue;
    if (Shared) {
      Held += Op.Kind == OpKind::ReadLock && Op.Target == Lock;
      Held -= Op.Kind == OpKind::ReadUnlock && Op.Target == Lock;
    } else {
      Held += (Op.Kind == OpKind::Acquire && Op.Target == Lock) ||
              (Op.Kind == OpKind::Wake && Op.Lock == Lock);
      Held -= (Op.Kind == OpKind::Release && Op.Target == Lock) ||
              (Op.Kind == OpKind::Wait && Op.Lock == Lock);
    }
  }
  return Held > 0;
}

/// Whether the access at I holds the dummy lock of thread U.
bool holdsThread(const Trace &Ops, size_t I, ThreadId U) {
  return Ops[I].Thread == U || std::any_of(Ops.begin(), Ops.begin() + long(I), [&](const auto &Op) {
           return Op.Kind == OpKind::Join && Op.Thread == Ops[I].Thread && Op.Target == U;
         });
}

bool haveCommonLock(const Trace &Ops, size_t I, size_t J) {
  if (isAtomicAccess(Ops[I].Kind) && isAtomicAccess(Ops[J].Kind))
    return true;
  auto Protects = [&](size_t A, uint64_t Lock) {
    return holds(Ops, A, Ops[A].Thread, Lock, false) ||
           (!isWriteAccess(Ops[A].Kind) && holds(Ops, A, Ops[A].Thread, Lock, true));
  };
  for (uint64_t Number = 0; Number < 8; ++Number) // locks and threads of RandomTrace
    if ((Protects(I, Number) && Protects(J, Number)) ||
        (holdsThread(Ops, I, ThreadId(Number)) && holdsThread(Ops, J, ThreadId(Number))))
      return true;
  return false;
}

/// Whether the access at I is an event of the byte: some access of its life up to I,
/// itself included, is by another thread than the life's first.
bool isEvent(const Trace &Ops, size_t I, uint64_t Byte) {
  std::vector<ThreadId> Accessors;
  for (size_t J = 0; J <= I; ++J) {
    bool Touches = Ops[J].Target <= Byte && Byte < Ops[J].Target + Ops[J].Size;
    if (Touches && Ops[J].Kind == OpKind::Allocate)
      Accessors.clear();
    if (Touches && isAccess(Ops[J].Kind))
      Accessors.push_back(Ops[J].Thread);
  }
  return std::any_of(Accessors.begin(), Accessors.end(),
                     [&](ThreadId T) { return T != Accessors.front(); });
}

TEST(LocksetOracleCrossCheck, RandomTracesByteByByte) {
  size_t WithRaces = 0, WithoutRaces = 0;
  for (unsigned Seed = 0; Seed < 2000; ++Seed) {
    SCOPED_TRACE(Seed);
    const Trace Ops = RandomTrace(Seed, 8 + Seed % 33).Ops;
    std::set<std::pair<size_t, size_t>> Races;
    Bytes Racy;
    for (size_t I = 0; I < Ops.size(); ++I)
      for (size_t J = I + 1; J < Ops.size(); ++J) {
        const Operation &A = Ops[I], &Later = Ops[J];
        if (!isAccess(A.Kind) || !isAccess(Later.Kind) || A.Thread == Later.Thread ||
            (!isWriteAccess(A.Kind) && !isWriteAccess(Later.Kind)) || haveCommonLock(Ops, I, J))
          continue;
        for (uint64_t Byte = A.Target; Byte < A.Target + A.Size; ++Byte) {
          auto Covers = [&](const Operation &Op) {
            return Op.Target <= Byte && Byte < Op.Target + Op.Size;
          };
          bool SameLife =
              std::none_of(Ops.begin() + long(I), Ops.begin() + long(J), [&](const auto &Op) {
                return Op.Kind == OpKind::Allocate && Covers(Op);
              });
          if (Covers(Later) && SameLife && isEvent(Ops, I, Byte)) {
            Races.insert({I, J});
            Racy.insert(Byte);
          }
        }
      }
    LocksetOracleResult R = runLocksetOracle(Ops);
    ASSERT_EQ(R.Races, Pairs(Races.begin(), Races.end()));
    ASSERT_EQ(R.RacyBytes, Racy);
    ++(Races.empty() ? WithoutRaces : WithRaces);
  }
  EXPECT_GT(WithRaces, 200u);
  EXPECT_GT(WithoutRaces, 200u);
}

} // namespace
} // namespace photofinish
