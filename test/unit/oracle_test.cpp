//===- oracle_test.cpp - The judge of the precise detectors is right ------===//
//
// Most cases have one shape: thread 0 writes X, something happens, thread 1 touches X.
// If the something orders the two, the trace has no race; a twin of the case with one
// detail changed shows that the edge comes from that detail. Every trace says why the
// edge is or isn't there.
//
// At the end the oracle meets a second one (naive_oracle.h) on random feasible traces.
//
//===----------------------------------------------------------------------===//

#include "test/unit/naive_oracle.h"
#include "test/unit/random_trace.h"
#include "test/unit/trace_builder.h"
#include "trace/oracle.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;
using Bytes = std::set<uint64_t>;

constexpr auto Rlx = MemoryOrder::Relaxed;
constexpr auto Con = MemoryOrder::Consume;
constexpr auto Acq = MemoryOrder::Acquire;
constexpr auto Rel = MemoryOrder::Release;
constexpr auto AR = MemoryOrder::AcqRel;
constexpr auto SC = MemoryOrder::SeqCst;

// Addresses far apart, and small numbers for the rest.
constexpr uint64_t X = 0x100, Y = 0x200, F = 0x300, G = 0x400;
constexpr uint32_t M = 1, N = 2, C = 3, D = 4, B = 5, B2 = 6, O = 7, O2 = 8;

/// Whether the trace has exactly the one race of its first and its last operation: the
/// two accesses of X that all these cases are about.
testing::AssertionResult firstAndLastRace(const Trace &Ops) {
  OracleResult R = runOracle(Ops);
  if (R.Races == Pairs{{0, Ops.size() - 1}})
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "races: " << testing::PrintToString(R.Races);
}

testing::AssertionResult raceFree(const Trace &Ops) {
  OracleResult R = runOracle(Ops);
  if (R.Races.empty() && R.RacyBytes.empty() && !R.hasRace())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "races: " << testing::PrintToString(R.Races);
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

TEST(OracleConflict, EmptyTraceAndTraceWithoutAccesses) {
  EXPECT_TRUE(raceFree(Trace()));
  EXPECT_TRUE(raceFree(TraceBuilder().fork(0, 1).acq(0, M).rel(0, M).exit(1)));
}

TEST(OracleConflict, NeedsAWrite) {
  EXPECT_TRUE(raceFree(TraceBuilder().read(0, X).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().read(0, X).write(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).write(1, X)));
}

TEST(OracleConflict, NeedsTwoThreads) {
  // One thread's operations are ordered by program order, whatever lies between.
  EXPECT_TRUE(raceFree(TraceBuilder().write(0, X).read(1, Y).write(0, X).read(0, X)));
}

TEST(OracleConflict, AtomicsConflictWithPlainAccessesOnly) {
  EXPECT_TRUE(raceFree(TraceBuilder().astore(0, X, Rlx).astore(1, X, Rlx)));
  EXPECT_TRUE(raceFree(TraceBuilder().armw(0, X, Rlx).armw(1, X, Rlx)));
  EXPECT_TRUE(raceFree(TraceBuilder().aload(0, X, Rlx).armw(1, X, Rlx)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().astore(0, X, SC).read(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().armw(0, X, SC).write(1, X)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).aload(1, X, SC)));
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().read(0, X).armw(1, X, SC)));
  // Two reads, one of them atomic: nothing is written.
  EXPECT_TRUE(raceFree(TraceBuilder().read(0, X).aload(1, X, SC)));
}

TEST(OracleConflict, FreeWritesTheWholeAllocation) {
  TraceBuilder UseAfterFree;
  UseAfterFree.alloc(0, X, 64).free(0, X, 64).read(1, X + 60, 8);
  OracleResult R = runOracle(UseAfterFree);
  EXPECT_EQ(R.Races, (Pairs{{1, 2}}));
  // Only the allocation's own bytes are freed; the read sticks out by four.
  EXPECT_EQ(R.RacyBytes, (Bytes{X + 60, X + 61, X + 62, X + 63}));

  // A free is a plain write, also towards atomics and other frees' readers.
  EXPECT_EQ(runOracle(TraceBuilder().alloc(0, X, 8).aload(1, X, SC).free(0, X, 8)).Races,
            (Pairs{{1, 2}}));
  EXPECT_TRUE(raceFree(TraceBuilder().alloc(0, X, 8).read(1, X).exit(1).join(0, 1).free(0, X, 8)));
}

TEST(OracleConflict, PartialOverlapsNameExactBytes) {
  OracleResult R = runOracle(TraceBuilder().write(0, X, 8).read(1, X + 6, 4));
  EXPECT_EQ(R.Races, (Pairs{{0, 1}}));
  EXPECT_EQ(R.RacyBytes, (Bytes{X + 6, X + 7}));

  // One range inside the other, either way round.
  EXPECT_EQ(runOracle(TraceBuilder().write(0, X, 8).read(1, X + 3)).RacyBytes, (Bytes{X + 3}));
  EXPECT_EQ(runOracle(TraceBuilder().write(0, X + 3).read(1, X, 8)).RacyBytes, (Bytes{X + 3}));
  // Neighbours share no byte.
  EXPECT_TRUE(raceFree(TraceBuilder().write(0, X, 4).write(1, X + 4, 4)));
  EXPECT_TRUE(raceFree(TraceBuilder().write(0, X + 4, 4).write(1, X, 4)));
}

TEST(OracleConflict, RacyBytesAreTheUnionOverPairs) {
  OracleResult R =
      runOracle(TraceBuilder().write(0, X, 4).write(1, X + 2, 4).write(2, X + 3, 1).write(2, Y, 2));
  EXPECT_EQ(R.Races, (Pairs{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(R.RacyBytes, (Bytes{X + 2, X + 3}));
}

TEST(OracleConflict, EveryPairIsListedNotOnlyTheFirst) {
  // The second access of thread 1 is ordered after its first, yet races with 0's as well.
  OracleResult R = runOracle(TraceBuilder().write(0, X).read(1, X).read(1, X).write(2, X));
  EXPECT_EQ(R.Races, (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}));
}

TEST(OracleConflict, LargeRanges) {
  OracleResult R = runOracle(TraceBuilder().write(0, 0x10000, 4096).read(1, 0x10800, 4096));
  EXPECT_EQ(R.RacyBytes.size(), 2048u);
  EXPECT_EQ(*R.RacyBytes.begin(), 0x10800u);
  EXPECT_EQ(*R.RacyBytes.rbegin(), 0x10fffu);
}

//===----------------------------------------------------------------------===//
// Lives of a byte
//===----------------------------------------------------------------------===//

TEST(OracleLives, AllocateSeparates) {
  // The memory came back to the allocator and out again; nothing orders the threads, but
  // the two accesses are of different objects. (0 frees after its own write.)
  EXPECT_TRUE(raceFree(
      TraceBuilder().alloc(0, X, 8).write(0, X, 8).free(0, X, 8).alloc(1, X, 8).write(1, X, 8)));
}

TEST(OracleLives, FreeAloneDoesNotSeparate) {
  EXPECT_EQ(
      runOracle(TraceBuilder().alloc(0, X, 8).write(0, X, 8).free(0, X, 8).write(1, X, 8)).Races,
      (Pairs{{1, 3}, {2, 3}}));
}

TEST(OracleLives, AllocateSeparatesItsOwnBytesOnly) {
  // The middle of the range is new; what surrounds it is the same memory as before.
  OracleResult R = runOracle(TraceBuilder().write(0, X, 8).alloc(2, X + 2, 3).write(1, X, 8));
  EXPECT_EQ(R.Races, (Pairs{{0, 2}}));
  EXPECT_EQ(R.RacyBytes, (Bytes{X, X + 1, X + 5, X + 6, X + 7}));
  // An allocation elsewhere, also a neighbour, separates nothing.
  EXPECT_EQ(runOracle(TraceBuilder().write(0, X, 2).alloc(2, X + 2, 3).write(1, X, 2)).RacyBytes,
            (Bytes{X, X + 1}));
}

TEST(OracleLives, SeveralAllocationsTogetherSeparate) {
  EXPECT_TRUE(
      raceFree(TraceBuilder().write(0, X, 8).alloc(2, X, 4).alloc(2, X + 4, 4).write(1, X, 8)));
}

TEST(OracleLives, AllocateBeforeOrAfterBothSeparatesNothing) {
  EXPECT_EQ(
      runOracle(TraceBuilder().alloc(2, X, 8).write(0, X).write(1, X).free(1, X, 8).alloc(1, X, 8))
          .Races,
      (Pairs{{1, 2}, {1, 3}}));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST(OracleThreads, ForkOrdersWhatCameBefore) {
  EXPECT_TRUE(raceFree(TraceBuilder().write(0, X).fork(0, 1).start(1).read(1, X)));
  // Also without a start, RAPID's traces have none.
  EXPECT_TRUE(raceFree(TraceBuilder().write(0, X).fork(0, 1).read(1, X)));
  // What the parent does after the fork is concurrent with the child.
  EXPECT_EQ(runOracle(TraceBuilder().fork(0, 1).write(0, X).read(1, X)).Races, (Pairs{{1, 2}}));
  // The fork of somebody else orders nothing.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).fork(0, 2).read(1, X)));
}

TEST(OracleThreads, StartAloneIsNoEdge) {
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).start(1).read(1, X)));
}

TEST(OracleThreads, JoinOrdersWhatComesAfter) {
  EXPECT_TRUE(raceFree(TraceBuilder().write(1, X).exit(1).join(0, 1).read(0, X)));
  EXPECT_TRUE(raceFree(TraceBuilder().write(1, X).join(0, 1).read(0, X)));
  // Before the join, the two run side by side.
  EXPECT_EQ(runOracle(TraceBuilder().write(1, X).read(0, X).join(0, 1)).Races, (Pairs{{0, 1}}));
  // That 0 has joined 1 says nothing to 2, nor does the end of 1.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(1, X).exit(1).join(0, 1).read(2, X)));
  // Joining another thread orders nothing.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(1, X).read(2, Y).join(0, 2).read(0, X)));
}

TEST(OracleThreads, TwoJoinsOfOneThreadBothOrder) {
  EXPECT_TRUE(raceFree(TraceBuilder().write(1, X).join(0, 1).join(2, 1).read(0, X).read(2, X)));
}

TEST(OracleThreads, SiblingsAreConcurrent) {
  EXPECT_EQ(
      runOracle(TraceBuilder().fork(0, 1).fork(0, 2).write(1, X).write(2, X).join(0, 1).write(0, X))
          .Races,
      (Pairs{{2, 3}, {3, 5}}));
}

TEST(OracleThreads, TransitiveThroughThirdThreads) {
  // 1 ends, 0 joins it and forks 2: three edges in a row.
  EXPECT_TRUE(raceFree(TraceBuilder().write(1, X).join(0, 1).fork(0, 2).write(2, X)));
  // 0 -m-> 2 -n-> 1, over two different locks.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .acq(0, M)
                           .rel(0, M)
                           .acq(2, M)
                           .rel(2, M)
                           .acq(2, N)
                           .rel(2, N)
                           .acq(1, N)
                           .rel(1, N)
                           .write(1, X)));
  // The same edges with 2's halves the other way round: n is given before m is taken.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .acq(2, N)
                                   .rel(2, N)
                                   .acq(0, M)
                                   .rel(0, M)
                                   .acq(2, M)
                                   .rel(2, M)
                                   .acq(1, N)
                                   .rel(1, N)
                                   .write(1, X)));
}

TEST(OracleThreads, LongChainsBeyondOneWordOfBits) {
  // 100 threads hand one lock on; rows of the matrix need several words.
  TraceBuilder Chain;
  Chain.write(0, X);
  for (ThreadId T = 0; T < 100; ++T)
    Chain.acq(T, M).rel(T, M);
  Chain.write(99, X);
  EXPECT_TRUE(raceFree(Chain));
  // One who never took the lock races with both ends.
  size_t Last = Chain.last();
  EXPECT_EQ(runOracle(Chain.write(200, X)).Races, (Pairs{{0, Last + 1}, {Last, Last + 1}}));
}

//===----------------------------------------------------------------------===//
// Locks and condition variables
//===----------------------------------------------------------------------===//

TEST(OracleLocks, ReleaseToAcquire) {
  EXPECT_TRUE(
      raceFree(TraceBuilder().acq(0, M).write(0, X).rel(0, M).acq(1, M).write(1, X).rel(1, M)));
  // Two different locks exclude nothing.
  EXPECT_EQ(
      runOracle(TraceBuilder().acq(0, M).write(0, X).rel(0, M).acq(1, N).write(1, X).rel(1, N))
          .Races,
      (Pairs{{1, 4}}));
  // A write after the release comes too late, a read before the acquire too early.
  EXPECT_TRUE(raceFree(TraceBuilder().write(0, X).acq(0, M).rel(0, M).acq(1, M).read(1, X)));
  EXPECT_EQ(runOracle(TraceBuilder().acq(0, M).rel(0, M).write(0, X).acq(1, M).read(1, X)).Races,
            (Pairs{{2, 4}}));
  EXPECT_EQ(runOracle(TraceBuilder().write(0, X).acq(0, M).rel(0, M).read(1, X).acq(1, M)).Races,
            (Pairs{{0, 3}}));
}

TEST(OracleLocks, EveryEarlierReleaseCounts) {
  // 2 takes the lock between 0 and 1; the edge from 0 to 1 is there directly and through it.
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).acq(0, M).rel(0, M).acq(2, M).rel(2, M).acq(1, M).read(1, X)));
}

TEST(OracleLocks, AcquireToAcquireIsNoEdge) {
  // 0's access inside its section, after the last release: 1 has not seen it.
  EXPECT_EQ(runOracle(TraceBuilder()
                          .acq(0, M)
                          .rel(0, M)
                          .acq(1, M)
                          .rel(1, M)
                          .acq(0, M)
                          .write(0, X)
                          .read(1, X)
                          .rel(0, M))
                .Races,
            (Pairs{{5, 6}}));
}

TEST(OracleLocks, EveryKindHasNumbersOfItsOwn) {
  // Lock 1 given back by thread 0 has nothing to do with thread 1, condition 1, barrier 1
  // or once-object 1.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder()
                                   .write(0, X)
                                   .acq(0, 1)
                                   .rel(0, 1)
                                   .notify(0, 1)
                                   .arrive(1, 1)
                                   .depart(1, 1)
                                   .once(1, 1)
                                   .read(1, X)));
}

TEST(OracleLocks, WriterToReaders) {
  // rel -> rlk, for each of several readers.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .acq(0, M)
                           .write(0, X)
                           .rel(0, M)
                           .rlk(1, M)
                           .rlk(2, M)
                           .read(1, X)
                           .read(2, X)
                           .rul(2, M)
                           .rul(1, M)));
}

TEST(OracleLocks, EveryReaderToWriter) {
  // rul -> acq: the writer waits for both readers.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .rlk(0, M)
                           .rlk(2, M)
                           .read(0, X)
                           .read(2, X)
                           .rul(0, M)
                           .rul(2, M)
                           .acq(1, M)
                           .write(1, X)
                           .rel(1, M)));
}

TEST(OracleLocks, ReaderToReaderIsNoEdge) {
  // A shared lock does not exclude another shared lock: rul -> rlk is no edge, even
  // though the first section ended before the second began.
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).rlk(0, M).rul(0, M).rlk(1, M).rul(1, M).write(1, X)));
}

TEST(OracleLocks, ReaderToReaderThroughAWriter) {
  EXPECT_TRUE(raceFree(
      TraceBuilder().write(0, X).rlk(0, M).rul(0, M).acq(2, M).rel(2, M).rlk(1, M).read(1, X)));
}

TEST(OracleLocks, WaitReleases) {
  // 0 writes and waits; 1 takes the lock that the wait gave back.
  EXPECT_TRUE(
      raceFree(TraceBuilder().acq(0, M).write(0, X).wait(0, C, M).acq(1, M).write(1, X).rel(1, M)));
  // The same for a reader of the lock.
  EXPECT_TRUE(raceFree(TraceBuilder().acq(0, M).write(0, X).wait(0, C, M).rlk(1, M).read(1, X)));
  // A wait gives back the lock that it names, not the condition's number nor another lock.
  EXPECT_EQ(
      runOracle(TraceBuilder().acq(0, M).write(0, X).wait(0, C, M).acq(1, C).read(1, X)).Races,
      (Pairs{{1, 4}}));
  EXPECT_EQ(
      runOracle(TraceBuilder().acq(0, M).write(0, X).wait(0, C, M).rlk(1, C).read(1, X)).Races,
      (Pairs{{1, 4}}));
}

TEST(OracleLocks, WakeAcquires) {
  // Releases of every kind reach the one who wakes up: rel, rul, and another's wait.
  EXPECT_TRUE(raceFree(
      TraceBuilder().acq(1, M).wait(1, C, M).acq(0, M).write(0, X).rel(0, M).wake(1, C, M).read(
          1, X)));
  EXPECT_TRUE(raceFree(
      TraceBuilder().acq(1, M).wait(1, C, M).rlk(0, M).read(0, X).rul(0, M).wake(1, C, M).write(
          1, X)));
  EXPECT_TRUE(raceFree(
      TraceBuilder().acq(1, M).wait(1, C, M).acq(0, M).write(0, X).wait(0, D, M).wake(1, C, M).read(
          1, X)));
}

TEST(OracleLocks, NotifyIsNoEdge) {
  // 0 notifies without the lock: the waiter is ordered after whoever gave back the lock
  // last, which is its own wait.
  EXPECT_EQ(
      runOracle(
          TraceBuilder().acq(1, M).wait(1, C, M).write(0, X).notify(0, C).wake(1, C, M).read(1, X))
          .Races,
      (Pairs{{2, 5}}));
}

//===----------------------------------------------------------------------===//
// Barriers and once
//===----------------------------------------------------------------------===//

TEST(OracleBarrier, OrdersBothWays) {
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .write(1, Y)
                           .arrive(0, B)
                           .arrive(1, B)
                           .depart(0, B)
                           .depart(1, B)
                           .read(1, X)
                           .read(0, Y)));
}

TEST(OracleBarrier, TheLastDepartureSeesAllArrivals) {
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .arrive(0, B)
                           .arrive(1, B)
                           .arrive(2, B)
                           .depart(2, B)
                           .depart(0, B)
                           .depart(1, B)
                           .read(1, X)));
}

TEST(OracleBarrier, DepartingTwiceSideBySide) {
  // What both do after the barrier is concurrent: departures are not ordered.
  EXPECT_EQ(
      runOracle(
          TraceBuilder().arrive(0, B).arrive(1, B).depart(0, B).write(0, X).depart(1, B).write(1,
                                                                                               X))
          .Races,
      (Pairs{{3, 5}}));
}

TEST(OracleBarrier, TheFirstDepartureClosesTheRound) {
  // 1 arrives after 0 has departed: the next round, so 0's arrival is not in 1's.
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).arrive(0, B).depart(0, B).arrive(1, B).depart(1, B).read(1, X)));
}

TEST(OracleBarrier, AnotherBarrierIsAnother) {
  EXPECT_TRUE(firstAndLastRace(
      TraceBuilder().write(0, X).arrive(0, B).arrive(1, B2).depart(1, B2).read(1, X)));
  // Closing a round of one barrier leaves the other's open.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .arrive(0, B)
                           .arrive(2, B2)
                           .depart(2, B2)
                           .arrive(1, B)
                           .depart(1, B)
                           .read(1, X)));
}

TEST(OracleBarrier, SlowDeparterWhileTheNextRoundHasClosed) {
  // Round 0: threads 0, 1, 2. 0 and 1 leave, go round once more and leave again, while 2
  // has still not left round 0. Its departure sees round 0 and nothing of round 1.
  TraceBuilder T;
  T.write(0, X).arrive(0, B).arrive(1, B).arrive(2, B).depart(0, B).depart(1, B);
  size_t InBetween = T.write(0, Y).last();
  T.arrive(0, B).arrive(1, B).depart(1, B).read(1, Y).depart(0, B).depart(2, B).read(2, X);
  EXPECT_TRUE(raceFree(T)) << "2 sees round 0, and 1 sees 0's arrival in round 1";
  size_t Late = T.write(2, Y).last();
  OracleResult R = runOracle(T);
  ASSERT_EQ(R.Races.size(), 2u);
  EXPECT_EQ(R.Races[0], (std::pair<size_t, size_t>(InBetween, Late)));
}

TEST(OracleBarrier, ASlowDepartureDoesNotCloseTheOpenRound) {
  // 2's departure is from round 0. Round 1, where 0 waits already, stays open for 1.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .arrive(0, B)
                           .arrive(2, B)
                           .depart(0, B)
                           .write(0, X)
                           .arrive(0, B)
                           .depart(2, B)
                           .arrive(1, B)
                           .depart(1, B)
                           .read(1, X)));
}

TEST(OracleBarrier, RoundsFollowEachOther) {
  // 0 -> 1 through round 0, 1 -> 2 through round 1.
  EXPECT_TRUE(raceFree(TraceBuilder()
                           .write(0, X)
                           .arrive(0, B)
                           .arrive(1, B)
                           .depart(1, B)
                           .arrive(1, B)
                           .arrive(2, B)
                           .depart(2, B)
                           .read(2, X)));
}

TEST(OracleOnce, FirstToEachLater) {
  EXPECT_TRUE(
      raceFree(TraceBuilder().write(0, X).once(0, O).once(1, O).read(1, X).once(2, O).read(2, X)));
  // A later call only returns: it orders nobody after itself.
  EXPECT_EQ(runOracle(TraceBuilder().once(0, O).write(1, X).once(1, O).once(2, O).read(2, X)).Races,
            (Pairs{{1, 4}}));
  // Another object.
  EXPECT_TRUE(firstAndLastRace(TraceBuilder().write(0, X).once(0, O).once(1, O2).read(1, X)));
}

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

//===----------------------------------------------------------------------===//
// The rest of the interface
//===----------------------------------------------------------------------===//

TEST(OracleResultTest, FirstRacyOperationCompletesTheEarliestRace) {
  // The first pair in order is (0,3); the race that is complete first is (1,2).
  Trace Ops = TraceBuilder().write(0, X).write(0, Y).write(1, Y).write(1, X);
  OracleResult R = runOracle(Ops);
  EXPECT_EQ(R.Races, (Pairs{{0, 3}, {1, 2}}));
  EXPECT_EQ(R.firstRacyOperation(Ops.size()), 2u);
  EXPECT_TRUE(R.hasRace());
  // Here the earliest is also the first of the list.
  EXPECT_EQ(runOracle(TraceBuilder().write(0, X).write(1, X).write(1, X)).firstRacyOperation(3),
            1u);
  EXPECT_EQ(runOracle(TraceBuilder().write(0, X)).firstRacyOperation(1), 1u) << "no race";
}

TEST(OracleResultTest, BytesOfOnePair) {
  TraceBuilder T;
  T.write(0, X, 8).write(1, X + 4, 8).acq(0, M).rel(0, M).acq(2, M).write(2, X, 8).rel(2, M);
  EXPECT_EQ(racyBytesOfPair(T, 0, 1), (Bytes{X + 4, X + 5, X + 6, X + 7}));
  EXPECT_EQ(racyBytesOfPair(T, 1, 0), racyBytesOfPair(T, 0, 1)) << "the order doesn't matter";
  EXPECT_EQ(racyBytesOfPair(T, 0, 5), Bytes()) << "ordered by the lock";
  EXPECT_EQ(racyBytesOfPair(T, 1, 5), (Bytes{X + 4, X + 5, X + 6, X + 7}));
  EXPECT_EQ(racyBytesOfPair(T, 1, 1), Bytes()) << "nothing races with itself";
  EXPECT_EQ(racyBytesOfPair(T, 1, 4), Bytes()) << "no access";
}

//===----------------------------------------------------------------------===//
// Against a second, even more naive one
//===----------------------------------------------------------------------===//

TEST(OracleCrossCheck, RandomTracesAgainstNaiveOracle) {
  size_t WithRaces = 0, WithoutRaces = 0;
  std::set<OpKind> Kinds;
  for (unsigned Seed = 0; Seed < 6000; ++Seed) {
    SCOPED_TRACE(Seed);
    const Trace Ops = RandomTrace(Seed, 8 + Seed % 33).Ops;
    for (const Operation &Op : Ops)
      Kinds.insert(Op.Kind);

    NaiveOracle Naive(Ops);
    Pairs Races;
    Bytes Racy;
    for (size_t I = 0; I < Ops.size(); ++I)
      for (size_t J = I + 1; J < Ops.size(); ++J) {
        Bytes Here = Naive.racyBytes(I, J);
        if (!Here.empty())
          Races.emplace_back(I, J);
        if (!Here.empty() && Seed % 16 == 0) {
          EXPECT_EQ(racyBytesOfPair(Ops, I, J), Here);
        }
        Racy.insert(Here.begin(), Here.end());
      }
    OracleResult R = runOracle(Ops);
    ASSERT_EQ(R.Races, Races);
    ASSERT_EQ(R.RacyBytes, Racy);
    ++(R.hasRace() ? WithRaces : WithoutRaces);
  }
  // The generator must do its work: every kind of operation, and both outcomes often.
  EXPECT_EQ(Kinds.size(), NumOpKinds);
  EXPECT_GT(WithRaces, 500u);
  EXPECT_GT(WithoutRaces, 500u);
}

} // namespace
} // namespace photofinish
