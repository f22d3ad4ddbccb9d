//===- random_test.cpp - 200,000 random traces through every detector ---------===//
//
// Cut into shards so that they run side by side. The seeds are fixed: a failure here
// fails everywhere. ./dev soak goes on with other seeds for as long as one likes.
//
//===----------------------------------------------------------------------===//

#include "test/differential/judge.h"
#include "trace/generator.h"

#include "gtest/gtest.h"

using namespace photofinish;

namespace {

constexpr uint64_t Shards = 16, TracesPerShard = 12'500;

class RandomTraces : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomTraces, EveryDetectorKeepsItsPromise) {
  uint64_t Racy = 0;
  for (uint64_t I = 0; I < TracesPerShard; ++I) {
    uint64_t Seed = GetParam() * TracesPerShard + I;
    Trace Ops = generate(randomSmallOptions(Seed));
    Verdict V = judge(Ops);
    ASSERT_EQ(V.Complaint, "") << "seed " << Seed << "\n" << explainFailure(Ops);
    Racy += V.HasRace;
  }
  // Neither answer may be a rarity, or the comparison is worth little.
  EXPECT_GT(Racy, TracesPerShard / 4);
  EXPECT_LT(Racy, TracesPerShard * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomTraces, testing::Range<uint64_t>(0, Shards));

} // namespace
