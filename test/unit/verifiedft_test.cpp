//===- verifiedft_test.cpp - Each rule of Figure 2, and what FastTrack differs in -===//
//
// The differential tests hold the verdicts to the oracle. Here the rules themselves are
// looked at: which one fires, how often, and what it leaves behind.
//
//===----------------------------------------------------------------------===//

#include "detector/fasttrack.h"
#include "detector/verifiedft.h"
#include "test/unit/rule_counts.h"
#include "test/unit/trace_builder.h"

#include "gtest/gtest.h"

using namespace photofinish;

namespace {

constexpr uint64_t X = 0x100, Y = 0x200;
constexpr uint32_t M = 1;

using Rules = std::map<std::string, uint64_t>;

/// The rules that fired, with their counts.
Rules fired(llvm::StringRef Detector, const Trace &Ops) { return runDetector(Detector, Ops).Rules; }

const char *const Versions[] = {"verifiedft-v1", "verifiedft-v1.5", "verifiedft"};

class EveryVersion : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(VerifiedFT, EveryVersion, testing::ValuesIn(Versions),
                         [](const auto &Info) { return "v" + std::to_string(Info.index); });

TEST_P(EveryVersion, ReadSameEpoch) {
  EXPECT_EQ(fired(GetParam(), TraceBuilder().read(0, X).read(0, X).read(0, X)),
            (Rules{{"Read Exclusive", 1}, {"Read Same Epoch", 2}}));
  // A release starts a new epoch, an acquire does not.
  EXPECT_EQ(fired(GetParam(), TraceBuilder().read(0, X).acq(0, M).read(0, X).rel(0, M).read(0, X)),
            (Rules{{"Read Exclusive", 2}, {"Read Same Epoch", 1}, {"Acquire", 1}, {"Release", 1}}));
}

TEST_P(EveryVersion, WriteSameEpoch) {
  EXPECT_EQ(fired(GetParam(), TraceBuilder().write(0, X).write(0, X)),
            (Rules{{"Write Exclusive", 1}, {"Write Same Epoch", 1}}));
  EXPECT_EQ(fired(GetParam(), TraceBuilder().write(0, X).acq(0, M).rel(0, M).write(0, X)),
            (Rules{{"Write Exclusive", 2}, {"Acquire", 1}, {"Release", 1}}));
}

TEST_P(EveryVersion, SharedReads) {
  EXPECT_EQ(fired(GetParam(), TraceBuilder()
                                  .read(0, X)   // exclusive
                                  .read(1, X)   // share
                                  .read(2, X)   // shared
                                  .read(1, X)   // shared same epoch
                                  .read(0, X)), // shared same epoch
            (Rules{{"Read Exclusive", 1},
                   {"Read Share", 1},
                   {"Read Shared", 1},
                   {"Read Shared Same Epoch", 2}}));
}

TEST_P(EveryVersion, WriteSharedKeepsSharedAndFindsNoRaceAfterJoins) {
  Trace Ops = TraceBuilder()
                  .read(1, X)
                  .read(2, X)
                  .join(0, 1)
                  .join(0, 2)
                  .write(0, X)  // write shared
                  .read(0, X)   // still shared
                  .write(0, X); // same epoch
  EXPECT_EQ(fired(GetParam(), Ops), (Rules{{"Read Exclusive", 1},
                                           {"Read Share", 1},
                                           {"Join", 2},
                                           {"Write Shared", 1},
                                           {"Read Shared", 1},
                                           {"Write Same Epoch", 1}}));
}

struct RaceCase {
  const char *Rule;
  Trace Ops;
  size_t First, Second;
};

std::vector<RaceCase> raceCases() {
  return {
      {"Write-Read Race", TraceBuilder().write(0, X).at(1).read(1, X).at(2), 1, 2},
      {"Write-Write Race", TraceBuilder().write(0, X).at(1).write(1, X).at(2), 1, 2},
      {"Read-Write Race", TraceBuilder().read(0, X).at(1).write(1, X).at(2), 1, 2},
      {"Shared-Write Race",
       TraceBuilder().read(0, X).at(1).read(1, X).at(2).join(2, 1).write(2, X).at(3), 1, 3},
      {"Write-Atomic Race", TraceBuilder().write(0, X).at(1).aload(1, X, MemoryOrder::SeqCst).at(2),
       1, 2},
      {"Read-Atomic Race", TraceBuilder().read(0, X).at(1).astore(1, X, MemoryOrder::SeqCst).at(2),
       1, 2},
      {"Atomic-Read Race", TraceBuilder().armw(0, X, MemoryOrder::SeqCst).at(1).read(1, X).at(2), 1,
       2},
      {"Atomic-Write Race", TraceBuilder().aload(0, X, MemoryOrder::SeqCst).at(1).write(1, X).at(2),
       1, 2},
  };
}

TEST_P(EveryVersion, EachRaceRuleNamesBothSides) {
  for (const RaceCase &C : raceCases()) {
    DetectorRun Run = runDetector(GetParam(), C.Ops);
    EXPECT_EQ(Run.Rules[C.Rule], 1u) << C.Rule;
    ASSERT_EQ(Run.Races.size(), 1u) << C.Rule;
    EXPECT_EQ(Run.Races[0].First.Site, C.First) << C.Rule;
    EXPECT_EQ(Run.Races[0].Second.Site, C.Second) << C.Rule;
    EXPECT_EQ(Run.Races[0].Operation, C.Ops.size() - 1);
  }
}

TEST_P(EveryVersion, GoesOnAfterARace) {
  DetectorRun Run = runDetector(GetParam(), TraceBuilder()
                                                .write(0, X, 4)
                                                .at(1)
                                                .write(1, X + 1, 2)
                                                .at(2)
                                                .write(0, Y)
                                                .at(3)
                                                .read(1, Y)
                                                .at(4));
  EXPECT_EQ(Run.RacyBytes, (std::set<uint64_t>{X + 1, X + 2, Y}));
}

TEST_P(EveryVersion, SynchronizationRules) {
  EXPECT_EQ(fired(GetParam(), TraceBuilder().fork(0, 1).acq(1, M).rel(1, M).join(0, 1)),
            (Rules{{"Fork", 1}, {"Acquire", 1}, {"Release", 1}, {"Join", 1}}));
  EXPECT_EQ(
      fired(GetParam(),
            TraceBuilder().rlk(0, M).rul(0, M).arrive(0, 1).depart(0, 1).once(0, 1).once(1, 1)),
      (Rules{{"Read Lock", 1},
             {"Read Unlock", 1},
             {"Arrive", 1},
             {"Depart", 1},
             {"Once First", 1},
             {"Once Later", 1}}));
}

/// The first to depart closes a round: whoever arrives then is in the next one, and a slow
/// departer of the first round learns nothing of it.
TEST_P(EveryVersion, BarrierRoundsAreKeptApart) {
  TraceBuilder T;
  T.arrive(1, 0).arrive(2, 0).depart(1, 0);
  T.write(3, X).arrive(3, 0);
  T.depart(2, 0).read(2, X);
  EXPECT_EQ(runDetector(GetParam(), T).RacyBytes, std::set<uint64_t>{X});
}

/// The three differences that VerifiedFT made to FastTrack (verifiedft.txt, section 3).
TEST(FastTrack, HasNoReadSharedSameEpoch) {
  EXPECT_EQ(fired("fasttrack", TraceBuilder().read(0, X).read(1, X).read(1, X)),
            (Rules{{"Read Exclusive", 1}, {"Read Share", 1}, {"Read Shared", 1}}));
}
TEST(FastTrack, WriteSharedForgetsReads) {
  EXPECT_EQ(
      fired("fasttrack",
            TraceBuilder().read(1, X).read(2, X).join(0, 1).join(0, 2).write(0, X).read(0, X)),
      (Rules{{"Read Exclusive", 2}, {"Read Share", 1}, {"Join", 2}, {"Write Shared", 1}}));
}
TEST(FastTrack, ReportsARaceWithAForgottenReadThroughTheWrite) {
  // T0's write races with T2's read and forgets T1's; T1 is still unordered with T0.
  DetectorRun Run = runDetector(
      "fasttrack",
      TraceBuilder().read(1, X).at(1).read(2, X).at(2).write(0, X).at(3).write(1, X).at(4));
  ASSERT_EQ(Run.Races.size(), 3u);
  EXPECT_EQ(Run.Races[2].First.Site, 3u);
  EXPECT_EQ(Run.Races[2].Second.Site, 4u);
}

TEST(Djit, FlagsEveryRacingAccessNotOnlyTheFirst) {
  DetectorRun Run =
      runDetector("djit", TraceBuilder().write(0, X).at(1).write(1, X).at(2).write(2, X).at(3));
  std::set<std::pair<SiteId, SiteId>> Pairs;
  for (const Race &R : Run.Races)
    Pairs.insert({R.First.Site, R.Second.Site});
  EXPECT_EQ(Pairs, (std::set<std::pair<SiteId, SiteId>>{{1, 2}, {1, 3}, {2, 3}}));
}

/// Memory that is allocated anew has no past, and no shadow that is not needed.
TEST_P(EveryVersion, AllocationStartsMemoryAnew) {
  EXPECT_TRUE(runDetector(GetParam(), TraceBuilder().write(0, X, 8).alloc(1, X, 8).write(1, X, 8))
                  .Races.empty());
  EXPECT_EQ(
      runDetector(GetParam(), TraceBuilder().write(0, X, 8192).alloc(1, X, 8192)).Shadow.Cells, 0u);
}

} // namespace
