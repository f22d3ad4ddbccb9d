//===- exhaustive_test.cpp - All small traces through every detector -----------===//
//
// Up to renaming of threads, locks and locations. A trace is extended until it has its
// first race; what comes after a race is left to the shorter, unpruned enumerations.
//
//===----------------------------------------------------------------------===//

#include "test/differential/judge.h"
#include "trace/enumerate.h"

#include "gtest/gtest.h"

using namespace photofinish;

namespace {

enum class Extend { UntilFirstRace, Always };

void judgeAll(const EnumerateOptions &Options, Extend How) {
  uint64_t Judged = 0, Racy = 0;
  bool Failed = false;
  enumerate(Options, [&](const Trace &Ops) {
    if (Failed)
      return false;
    // Only an access can complete a race: other endings add nothing to their prefix.
    if (!isAccess(Ops.back().Kind))
      return true;
    Verdict V = judge(Ops);
    ++Judged;
    Racy += V.HasRace;
    if (!V.Complaint.empty()) {
      Failed = true;
      ADD_FAILURE() << explainFailure(Ops);
    }
    return How == Extend::Always || !V.HasRace;
  });
  std::printf("%llu traces, %llu with a race\n", (unsigned long long)Judged,
              (unsigned long long)Racy);
  EXPECT_GT(Racy, 0u);
  EXPECT_LT(Racy, Judged);
}

TEST(Exhaustive, ThreeThreadsUntilFirstRace) {
  judgeAll({.Threads = 3, .Locks = 2, .Locations = 2, .MaxOperations = 7}, Extend::UntilFirstRace);
}
TEST(Exhaustive, ThreeThreadsForkJoinUntilFirstRace) {
  judgeAll({.Threads = 3, .Locks = 1, .Locations = 1, .MaxOperations = 6, .ForkJoin = true},
           Extend::UntilFirstRace);
}
TEST(Exhaustive, ThreeThreadsBeyondRaces) {
  judgeAll({.Threads = 3, .Locks = 2, .Locations = 2, .MaxOperations = 5}, Extend::Always);
}
TEST(Exhaustive, ReadLocks) {
  judgeAll({.Threads = 3, .Locks = 1, .Locations = 1, .MaxOperations = 6, .ReadLocks = true},
           Extend::UntilFirstRace);
}
TEST(Exhaustive, Atomics) {
  judgeAll({.Threads = 3, .Locks = 0, .Locations = 1, .MaxOperations = 5, .Atomics = true},
           Extend::UntilFirstRace);
}

} // namespace
