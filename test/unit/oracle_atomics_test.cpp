//===- oracle_atomics_test.cpp - Release sequences and fences, edge by edge ----===//
//
// As in oracle_test.cpp: thread 0 writes X, atomics happen, thread 1 touches X, and a twin
// with one detail changed shows where the edge comes from.
//
//===----------------------------------------------------------------------===//

#include "test/unit/oracle_testing.h"

namespace photofinish {
namespace {

//===----------------------------------------------------------------------===//
// Atomics: release and acquire
//===----------------------------------------------------------------------===//

/// 0 writes X and sets the flag F; 1 looks at the flag and reads X.
Trace messagePassing(MemoryOrder Store, MemoryOrder Load) {
  return TraceBuilder().write(0, X).astore(0, F, Store).aload(1, F, Load).read(1, X);
}

TEST(OracleAtomics, MessagePassingForEveryOrder) {
  for (MemoryOrder Load : {Acq, Con, SC}) {
    EXPECT_TRUE(raceFree(messagePassing(Rel, Load)));
    EXPECT_TRUE(raceFree(messagePassing(SC, Load)));
    EXPECT_TRUE(firstAndLastRace(messagePassing(Rlx, Load)));
  }
  EXPECT_TRUE(firstAndLastRace(messagePassing(Rel, Rlx)));
  EXPECT_TRUE(firstAndLastRace(messagePassing(SC, Rlx)));
}

TEST(OracleAtomics, ReadModifyWriteOrders) {
  auto Rmw = [](MemoryOrder First, MemoryOrder Second) -> Trace {
    return TraceBuilder().write(0, X).armw(0, F, First).armw(1, F, Second).read(1, X);
  };
  for (MemoryOrder First : {Rel, AR, SC}) {
    for (MemoryOrder Second : {Acq, Con, AR, SC})
      EXPECT_TRUE(raceFree(Rmw(First, Second)));
    // Only the write side of the second is ordered: it acquires nothing.
    EXPECT_TRUE(firstAndLastRace(Rmw(First, Rel)));
    EXPECT_TRUE(firstAndLastRace(Rmw(First, Rlx)));
  }
  // Only the read side of the first is ordered: it releases nothing.
  EXPECT_TRUE(firstAndLastRace(Rmw(Acq, SC)));
  EXPECT_TRUE(firstAndLastRace(Rmw(Con, SC)));
  EXPECT_TRUE(firstAndLastRace(Rmw(Rlx, SC)));
}

TEST(OracleAtomics, EdgesComeFromReadingNotFromTouching) {
  // A load releases nothing and a store acquires nothing, not even sequentially
  // consistent ones: "the total order of sc operations adds no edge".
  EXPECT_TRUE(
      firstAndLastRace(TraceBuilder().write(0, X).aload(0, F, SC).armw(1, F, SC).read(1, X)));
  EXPECT_TRUE(
      firstAndLastRace(TraceBuilder().write(0, X).astore(0, F, SC).astore(1, F, SC).read(1, X)));
  // The load came before the store.
  EXPECT_EQ(runOracle(TraceBuilder().aload(1, F, SC).write(0, X).astore(0, F, SC).read(1, X)).Races,
            (Pairs{{1, 3}}));
  // Another atomic.
  EXPECT_TRUE(
      firstAndLastRace(TraceBuilder().write(0, X).astore(0, F, SC).aload(1, G, SC).read(1, X)));
}

TEST(OracleAtomics, StoreReplacesWhatALoadReads) {
  // 2's store is what 1 reads; 0's is gone.
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).astore(0, F, Rel).astore(2, F, Rel).aload(1, F, Acq).read(1, X)));
}

TEST(OracleAtomics, ReleaseAcquireChains) {
  // 0 -F-> 2 -G-> 1.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel)
                           .aload(2, F, Acq)
                           .astore(2, G, Rel)
                           .aload(1, G, Acq)
                           .read(1, X)));
  // A relaxed link in the middle breaks it, on either side.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel)
                                   .aload(2, F, Rlx)
                                   .astore(2, G, Rel)
                                   .aload(1, G, Acq)
                                   .read(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel)
                                   .aload(2, F, Acq)
                                   .astore(2, G, Rlx)
                                   .aload(1, G, Acq)
                                   .read(1, X)));
}

TEST(OracleAtomics, SpinLock) {
  // A lock made of an exchange and a store orders as a lock does.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .armw(0, F, Acq)
                           .write(0, X)
                           .aload(1, F, Rlx) // 1 spins
                           .astore(0, F, Rel)
                           .armw(1, F, Acq)
                           .write(1, X)
                           .astore(1, F, Rel)));
}

//===----------------------------------------------------------------------===//
// Atomics: release sequences
//===----------------------------------------------------------------------===//

TEST(OracleReleaseSequence, RelaxedStoreOfTheSameThreadContinues) {
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).astore(0, F, Rel).astore(0, F, Rlx).aload(1, F, Acq).read(1, X)));
  // The edge starts at the head: what 0 did after it is not ordered.
  EXPECT_EQ(
      runOracle(
          TraceBuilder().astore(0, F, Rel).write(0, X).astore(0, F, Rlx).aload(1, F, Acq).read(1,
                                                                                               X))
          .Races,
      (Pairs{{1, 4}}));
}

TEST(OracleReleaseSequence, StoreOfAnotherThreadEnds) {
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).astore(0, F, Rel).astore(2, F, Rlx).aload(1, F, Acq).read(1, X)));
  // And for good: a later relaxed store of the first thread does not take it up again.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel)
                                   .astore(2, F, Rlx)
                                   .astore(0, F, Rlx)
                                   .aload(1, F, Acq)
                                   .read(1, X)));
}

TEST(OracleReleaseSequence, RelaxedReadModifyWriteContinues) {
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).astore(0, F, Rel).armw(2, F, Rlx).aload(1, F, Acq).read(1, X)));
  // Any number of them, by anybody, the head's own thread and the reader included.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel)
                           .armw(2, F, Rlx)
                           .armw(0, F, Rlx)
                           .armw(1, F, Rlx)
                           .armw(3, F, Rlx)
                           .aload(1, F, Acq)
                           .read(1, X)));
  // A store of the head's thread after another's read-modify-write continues as well.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel)
                           .armw(2, F, Rlx)
                           .astore(0, F, Rlx)
                           .aload(1, F, Acq)
                           .read(1, X)));
  // A store of the read-modify-write's thread does not: 2 is not the head's thread.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel)
                                   .armw(2, F, Rlx)
                                   .astore(2, F, Rlx)
                                   .aload(1, F, Acq)
                                   .read(1, X)));
}

TEST(OracleReleaseSequence, ReadModifyWriteHeadsItsOwn) {
  // 2's releasing read-modify-write is in 0's sequence and heads its own: 1 sees both.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .write(2, Y)
                           .astore(0, F, Rel)
                           .armw(2, F, Rel)
                           .aload(1, F, Acq)
                           .read(1, X)
                           .read(1, Y)));
  // 2's relaxed store then continues 2's sequence and ends 0's.
  EXPECT_EQ(runOracle(TraceBuilder()
                          .write(0, X)
                          .write(2, Y)
                          .astore(0, F, Rel)
                          .armw(2, F, Rel)
                          .astore(2, F, Rlx)
                          .aload(1, F, Acq)
                          .read(1, X)
                          .read(1, Y))
                .Races,
            (Pairs{{0, 6}}));
}

TEST(OracleReleaseSequence, RelaxedReadModifyWriteReleasesNothingItself) {
  EXPECT_EQ(
      runOracle(
          TraceBuilder().astore(0, F, Rel).write(2, X).armw(2, F, Rlx).aload(1, F, Acq).read(1, X))
          .Races,
      (Pairs{{1, 4}}));
}

TEST(OracleReleaseSequence, ThroughOnlyReadsInTheSequence) {
  // 2's acquiring read-modify-write reads 0's; 1 reads 2's, and is after 0 but not after 2.
  EXPECT_EQ(runOracle(TraceBuilder()
                          .write(0, X)
                          .astore(0, F, Rel)
                          .write(2, Y)
                          .armw(2, F, Acq)
                          .read(2, X)
                          .aload(1, F, Acq)
                          .read(1, X)
                          .read(1, Y))
                .Races,
            (Pairs{{2, 7}}));
}

TEST(OracleReleaseSequence, AllocateEnds) {
  // The flag lies in memory that is reused: a load of the new memory reads nothing of the
  // old, and a store or read-modify-write there continues nothing.
  auto Reused = [](TraceBuilder &T) -> TraceBuilder & {
    return T.write(0, X).astore(0, F, Rel, 4).alloc(2, F, 4);
  };
  TraceBuilder Load, Rmw, Store;
  EXPECT_TRUE(firstAndLastRace(Reused(Load).aload(1, F, Acq, 4).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(Reused(Rmw).armw(2, F, Rlx, 4).aload(1, F, Acq, 4).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(Reused(Store).astore(0, F, Rlx, 4).aload(1, F, Acq, 4).read(1, X)));
  // Other memory's allocation ends nothing.
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).astore(0, F, Rel).alloc(2, G, 4).aload(1, F, Acq).read(1, X)));
}

TEST(OracleReleaseSequence, PlainWritesTakeNoPart) {
  // A plain write of the flag races or is ordered; either way it is no store of the
  // atomic, and a load keeps reading the last atomic one.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel)
                           .aload(1, F, Acq)
                           .write(1, F)
                           .aload(1, F, Acq)
                           .read(1, X)));
  EXPECT_EQ(
      runOracle(
          TraceBuilder().write(0, X).astore(0, F, Rel).write(2, F).aload(1, F, Acq).read(1, X))
          .Races,
      (Pairs{{1, 2}, {2, 3}}));
}

TEST(OracleReleaseSequence, PlainWritesReleaseNothing) {
  // Not even after a fence: a release side is an atomic write.
  EXPECT_EQ(
      runOracle(TraceBuilder().write(0, X).fence(0, Rel).write(0, F).aload(1, F, Acq).read(1, X))
          .Races,
      (Pairs{{0, 4}, {2, 3}}));
}

TEST(OracleReleaseSequence, MixedSizesByteByByte) {
  // Only the upper half, or only the lower one, has ever been stored to.
  EXPECT_TRUE(
      raceFree(TraceBuilder().write(0, X).astore(0, F + 4, Rel, 4).aload(1, F, Acq, 8).read(1, X)));
  EXPECT_TRUE(
      raceFree(TraceBuilder().write(0, X).astore(0, F, Rel, 4).aload(1, F, Acq, 8).read(1, X)));
  // 2 overwrites the upper half of 0's flag. A load of all of it still reads 0's lower
  // half; a load of the upper half does not.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel, 8)
                           .astore(2, F + 4, Rlx, 4)
                           .aload(1, F, Acq, 8)
                           .read(1, X)));
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel, 8)
                           .astore(2, F, Rlx, 4)
                           .aload(1, F, Acq, 8)
                           .read(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel, 8)
                                   .astore(2, F + 4, Rlx, 4)
                                   .aload(1, F + 4, Acq, 4)
                                   .read(1, X)));
  // Both halves overwritten, in two steps: nothing of 0's is left.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel, 8)
                                   .astore(2, F + 4, Rlx, 4)
                                   .astore(3, F, Rlx, 4)
                                   .aload(1, F, Acq, 8)
                                   .read(1, X)));
  // One byte in the middle is left.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel, 8)
                           .astore(2, F, Rlx, 4)
                           .astore(2, F + 5, Rlx, 3)
                           .aload(1, F, Acq, 8)
                           .read(1, X)));
}

TEST(OracleReleaseSequence, OneLoadReadsFromSeveralThreads) {
  // Each half was released by another thread; the wide load is after both.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .write(2, Y)
                           .astore(0, F, Rel, 4)
                           .astore(2, F + 4, Rel, 4)
                           .aload(1, F, Acq, 8)
                           .read(1, X)
                           .read(1, Y)));
}

TEST(OracleReleaseSequence, MixedSizesAndReadModifyWrites) {
  // The narrow read-modify-write continues the sequence on its byte; the narrow store of
  // another ends it on another byte, and elsewhere leaves it alone.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel, 4)
                           .armw(2, F + 1, Rlx, 1)
                           .astore(2, F + 2, Rlx, 1)
                           .aload(1, F + 1, Acq, 1)
                           .read(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .astore(0, F, Rel, 4)
                                   .armw(2, F + 1, Rlx, 1)
                                   .astore(2, F + 2, Rlx, 1)
                                   .aload(1, F + 2, Acq, 1)
                                   .read(1, X)));
  // An allocation of a part of the flag: the rest is still read.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel, 4)
                           .alloc(2, F, 2)
                           .aload(1, F, Acq, 4)
                           .read(1, X)));
}

//===----------------------------------------------------------------------===//
// Atomics: fences
//===----------------------------------------------------------------------===//

/// 0: w(X); fence; relaxed flag. 1: relaxed look at the flag; fence; r(X).
Trace fencePassing(MemoryOrder First, MemoryOrder Second) {
  return TraceBuilder()
      .write(0, X)
      .fence(0, First)
      .astore(0, F, Rlx)
      .aload(1, F, Rlx)
      .fence(1, Second)
      .read(1, X);
}

TEST(OracleFences, BothSidesForEveryOrder) {
  for (MemoryOrder First : {Rel, AR, SC}) {
    for (MemoryOrder Second : {Acq, Con, AR, SC})
      EXPECT_TRUE(raceFree(fencePassing(First, Second)));
    EXPECT_TRUE(firstAndLastRace(fencePassing(First, Rel)));
  }
  EXPECT_TRUE(firstAndLastRace(fencePassing(Acq, SC)));
  EXPECT_TRUE(firstAndLastRace(fencePassing(Con, SC)));
}

TEST(OracleFences, OneSideWithAnOrderedAtomic) {
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).fence(0, Rel).astore(0, F, Rlx).aload(1, F, Acq).read(1, X)));
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).astore(0, F, Rel).aload(1, F, Rlx).fence(1, Acq).read(1, X)));
}

TEST(OracleFences, ReleaseFenceTooLate) {
  // The fence is after the store that 1 reads.
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).astore(0, F, Rlx).fence(0, Rel).aload(1, F, Acq).read(1, X)));
  // The fence is before the access that it should cover: the edge starts at the fence.
  EXPECT_EQ(
      runOracle(
          TraceBuilder().fence(0, Rel).write(0, X).astore(0, F, Rlx).aload(1, F, Acq).read(1, X))
          .Races,
      (Pairs{{1, 4}}));
}

TEST(OracleFences, AcquireFenceTooEarlyOrTooLate) {
  // The fence is before the load.
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).astore(0, F, Rel).fence(1, Acq).aload(1, F, Rlx).read(1, X)));
  // The access is before the fence.
  EXPECT_EQ(
      runOracle(
          TraceBuilder().write(0, X).astore(0, F, Rel).aload(1, F, Rlx).read(1, X).fence(1, Acq))
          .Races,
      (Pairs{{0, 3}}));
}

TEST(OracleFences, OfAnotherThread) {
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).fence(2, Rel).astore(0, F, Rlx).aload(1, F, Acq).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).astore(0, F, Rel).aload(1, F, Rlx).fence(2, Acq).read(1, X)));
}

TEST(OracleFences, OnlyTheirOwnThreadIsOrdered) {
  // 2's fence releases 2's past with 2's stores only, and completes 2's loads only.
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(2, X).fence(2, Rel).astore(0, F, Rlx).aload(1, F, Acq).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).astore(0, F, Rel).aload(1, F, Rlx).fence(2, Acq).read(2, X)));
}

TEST(OracleFences, AloneOrderNothing) {
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).fence(0, SC).fence(1, SC).read(1, X)));
}

TEST(OracleFences, TheLatestReleaseFenceCounts) {
  // The write lies between two fences; the later one covers it.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .fence(0, Rel)
                           .write(0, Y)
                           .fence(0, Rel)
                           .astore(0, F, Rlx)
                           .aload(1, F, Acq)
                           .read(1, X)
                           .read(1, Y)));
  // An acquire fence in between doesn't hide the release fence behind it.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .fence(0, Rel)
                           .fence(0, Acq)
                           .astore(0, F, Rlx)
                           .aload(1, F, Acq)
                           .read(1, X)));
}

TEST(OracleFences, OneFenceCoversSeveralAtomics) {
  // One release fence, two flags; one acquire fence after two loads.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .fence(0, Rel)
                           .astore(0, F, Rlx)
                           .astore(0, G, Rlx)
                           .aload(1, G, Acq)
                           .read(1, X)));
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .write(2, Y)
                           .astore(0, F, Rel)
                           .astore(2, G, Rel)
                           .aload(1, F, Rlx)
                           .aload(1, G, Rlx)
                           .fence(1, Acq)
                           .read(1, X)
                           .read(1, Y)));
}

TEST(OracleFences, StrongerAtomicsHaveBothSides) {
  // The store releases by itself, though a fence before it would miss the write.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .fence(0, Rel)
                           .write(0, X)
                           .astore(0, F, Rel)
                           .aload(1, F, Acq)
                           .fence(1, Acq)
                           .read(1, X)));
}

TEST(OracleFences, WithReleaseSequences) {
  // The relaxed store after the fence heads a sequence that 2's read-modify-write continues.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .fence(0, Rel)
                           .astore(0, F, Rlx)
                           .armw(2, F, Rlx)
                           .aload(1, F, Rlx)
                           .fence(1, Acq)
                           .read(1, X)));
  // Another thread's store ends it.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .fence(0, Rel)
                                   .astore(0, F, Rlx)
                                   .astore(2, F, Rlx)
                                   .aload(1, F, Rlx)
                                   .fence(1, Acq)
                                   .read(1, X)));
  // A relaxed read-modify-write after a fence heads one too; its relaxed read side is
  // completed by a later fence of its thread.
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).fence(0, Rel).armw(0, F, Rlx).armw(1, F, Rlx).fence(1, Acq).read(
          1, X)));
}

TEST(OracleFences, AcquireThenReleaseFenceRelays) {
  // 2 passes on what it has seen with relaxed atomics and a single fence of both kinds.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .astore(0, F, Rel)
                           .aload(2, F, Rlx)
                           .fence(2, AR)
                           .astore(2, G, Rlx)
                           .aload(1, G, Acq)
                           .read(1, X)));
}

} // namespace
} // namespace photofinish
