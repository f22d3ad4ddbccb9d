//===- oracle_test.cpp - The judge of the precise detectors is right ------===//
//
// Most cases have one shape: thread 0 writes X, something happens, thread 1 touches X.
// If the something orders the two, the trace has no race; a twin of the case with one
// detail changed shows that the edge comes from that detail. Every trace says why the
// edge is or isn't there.
//
// Atomics have a file of their own: oracle_atomics_test.cpp.
// At the end the oracle meets a second one (naive_oracle.h) on random feasible traces.
//
//===----------------------------------------------------------------------===//

#include "test/unit/naive_oracle.h"
#include "test/unit/oracle_testing.h"
#include "test/unit/random_trace.h"

namespace photofinish {
namespace {

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
