//===- slimstate_test.cpp - What both SlimStates do beyond giving right answers ---===//
//
// Compression, deferral, exact sites. That the answers are FastTrack's, on every trace,
// is for the differential tests.
//
//===----------------------------------------------------------------------===//

#include "shadow/access_log.h"
#include "test/unit/rule_counts.h"
#include "test/unit/trace_builder.h"
#include "trace/generator.h"

#include "gtest/gtest.h"

#include <random>

using namespace photofinish;

namespace {

constexpr uint64_t Base = 0x10000;
constexpr uint32_t M = 1;

//===--- Access logs ----------------------------------------------------------===//

uint32_t siteOf(const AccessLog &Log, uint64_t Byte, bool IsWrite) {
  uint32_t Site;
  Log.sitesOf(Byte, 1, IsWrite, &Site);
  return Site;
}
uint32_t siteOf(AccessLogs &Logs, Note N, uint64_t Byte) {
  uint32_t Site;
  Logs.sitesOf(N, Byte, 1, true, &Site);
  return Site;
}

TEST(AccessLog, OneEntryPerLoop) {
  AccessLog Log;
  for (uint64_t I = 0; I < 1000; ++I) {
    Log.add(7, true, Base + 16 * I, 8);
    Log.add(8, false, Base + 16 * (999 - I) + 8, 4);
  }
  EXPECT_EQ(Log.size(), 2u);
  EXPECT_EQ(siteOf(Log, Base + 16 * 500 + 7, true), 7u);
  EXPECT_EQ(siteOf(Log, Base + 16 * 500 + 8, true), 0u);
  EXPECT_EQ(siteOf(Log, Base + 16 * 500 + 8, false), 8u);
  EXPECT_EQ(siteOf(Log, Base + 16 * 500 + 12, false), 0u);
  EXPECT_EQ(siteOf(Log, Base - 1, true), 0u);
}

/// Against a list of all accesses.
TEST(AccessLog, TellsTheFirstSiteOfEveryByte) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 300; ++Round) {
    AccessLog Log;
    struct Access {
      uint32_t Site;
      bool IsWrite;
      uint64_t Address, Size;
    };
    std::vector<Access> All;
    size_t Segment = 0;
    uint64_t Next = Random() % 64, Stride = Random() % 9;
    for (int I = 0; I < 40; ++I) {
      if (Random() % 8 == 0)
        Next = Random() % 64, Stride = Random() % 9;
      if (Random() % 16 == 0)
        Log.beginSegment(), Segment = All.size();
      All.push_back({uint32_t(Random() % 3 + 1), Random() % 2 == 0, Next, 1u << (Random() % 3)});
      Log.add(All.back().Site, All.back().IsWrite, All.back().Address, All.back().Size);
      Next += Stride;
    }
    auto Expect = [&](size_t From, uint64_t Byte, bool IsWrite) {
      std::set<uint32_t> Sites;
      for (size_t I = From; I < All.size(); ++I)
        if (All[I].IsWrite == IsWrite && Byte - All[I].Address < All[I].Size)
          Sites.insert(All[I].Site);
      return Sites;
    };
    for (bool IsWrite : {false, true}) {
      constexpr uint64_t First = 5, Bytes = 400;
      uint32_t Sites[Bytes], Recent[Bytes];
      Log.sitesOf(First, Bytes, IsWrite, Sites);
      Log.recentSitesOf(First, Bytes, IsWrite, Recent);
      for (uint64_t I = 0; I < Bytes; ++I) {
        auto Check = [&](uint32_t Site, const std::set<uint32_t> &Possible) {
          EXPECT_EQ(Site == 0, Possible.empty());
          EXPECT_TRUE(Site == 0 || Possible.count(Site)) << "a site that never touched the byte";
        };
        Check(Sites[I], Expect(0, First + I, IsWrite));
        Check(Recent[I], Expect(Segment, First + I, IsWrite));
      }
    }
  }
}

TEST(AccessLog, ForgetsEarlierLivesOfMemory) {
  AccessLog Log;
  Log.add(1, true, Base, 8);
  Log.add(2, true, Base + 8, 8);
  Log.forget(Base, 8);
  EXPECT_EQ(siteOf(Log, Base, true), 0u);
  EXPECT_EQ(siteOf(Log, Base + 8, true), 2u);
  Log.add(1, true, Base, 8);
  EXPECT_EQ(siteOf(Log, Base, true), 1u);
  uint32_t Size = Log.size();
  Log.forget(Base + 64, 8); // nothing there
  Log.forget(Base, 8);
  Log.forget(Base, 8); // already forgotten
  EXPECT_EQ(Log.size(), Size + 1);
}

TEST(AccessLogs, SweepKeepsWhatIsMarkedOrCurrent) {
  AccessLogs Logs;
  Note First = Logs.current(Epoch(0, 1));
  Logs[First].add(5, true, Base, 8);
  Note Second = Logs.current(Epoch(0, 2));
  EXPECT_NE(First, Second);
  Logs[Second].add(6, true, Base, 8);
  Note Third = Logs.current(Epoch(0, 3));
  Logs[Third].add(7, true, Base, 8);
  Logs.mark(First);
  Logs.sweep();
  EXPECT_EQ(siteOf(Logs, First, Base), 5u);
  EXPECT_EQ(siteOf(Logs, Third, Base), 7u);
  EXPECT_EQ(Logs.current(Epoch(1, 1)), Second) << "the dropped log's number is used again";
  EXPECT_EQ(siteOf(Logs, Logs.current(Epoch(1, 1)), Base), 0u);
  EXPECT_EQ(siteOf(Logs, 9, Base), 9u) << "a plain site stands for itself";
}

//===--- Detectors ------------------------------------------------------------===//

const char *const Both[] = {"slimstate", "slimstate-bits"};

/// Two threads write the two halves of an array from two lines each. One byte of the
/// second half is also written by a third thread: the report names just that line.
TEST(SlimState, ReportsNameTheExactSites) {
  for (const char *Name : Both) {
    TraceBuilder T;
    T.alloc(0, Base, 512);
    for (uint64_t I = 0; I < 64; ++I)
      T.write(1, Base + I * 8, 8).at(I < 32 ? 11 : 12);
    T.acq(1, M).rel(1, M);
    T.write(2, Base + 323, 1).at(21);
    DetectorRun Run = runDetector(Name, T);
    ASSERT_EQ(Run.Races.size(), 1u) << Name;
    EXPECT_EQ(Run.Races[0].Address, Base + 323);
    EXPECT_EQ(Run.Races[0].Size, 1u);
    EXPECT_EQ(Run.Races[0].First.Site, 12u);
    EXPECT_EQ(Run.Races[0].Second.Site, 21u);
  }
}

/// A race between footprints that are both still pending when the trace ends.
TEST(SlimState, PendingFootprintsAreDecidedAtTheEnd) {
  for (const char *Name : Both) {
    TraceBuilder T;
    T.alloc(0, Base, 256).write(1, Base, 8).write(2, Base, 8);
    EXPECT_FALSE(runDetector(Name, T).Races.empty()) << Name;
  }
}

TEST(SlimState, FullCommitBufferIsFlushed) {
  TraceBuilder T;
  constexpr unsigned Arrays = 5000;
  for (uint64_t I = 0; I < Arrays; ++I)
    T.alloc(0, Base + I * 128, 128).write(0, Base + I * 128, 8);
  EXPECT_EQ(runDetector("slimstate", T).Rules["Buffer Flush"], Arrays / 2048);
}

TEST(SlimState, FineAndPrefixCommitAtOnce) {
  TraceBuilder T;
  T.alloc(0, Base, 800);
  T.write(0, Base + 8, 8).write(0, Base + 16, 8).acq(0, M).rel(0, M); // PREFIX(3)
  T.write(0, Base, 8).write(0, Base + 16, 8); // two commits, not one footprint
  DetectorRun Run = runDetector("slimstate", T);
  EXPECT_EQ(Run.Rules["Coarse To Prefix"], 1u);
  EXPECT_EQ(Run.Rules["Prefix Inside"], 2u);
}

TEST(SlimState, MixedSizesMakeTheGrainFiner) {
  for (const char *Name : Both) {
    TraceBuilder T;
    T.alloc(0, Base, 512);
    for (uint64_t I = 0; I < 64; ++I)
      T.write(0, Base + I * 8, 8);
    T.acq(0, M).rel(0, M);
    T.read(0, Base + 9, 1);
    DetectorRun Run = runDetector(Name, T);
    EXPECT_EQ(Run.Shadow.Elements, 64u * 8) << Name;
    EXPECT_LE(Run.Shadow.Cells, 130u) << Name;
  }
}

/// A thread that never synchronizes, over memory that comes and goes.
TEST(SlimState, LogsOfThreadsThatNeverSynchronizeAreBounded) {
  for (const char *Name : Both) {
    TraceBuilder T;
    T.alloc(0, Base, 1 << 20);
    std::mt19937 Random(4);
    for (int I = 0; I < 200'000; ++I)
      T.write(0, Base + Random() % (1 << 20), 1).at(uint32_t(I % 1000 + 1));
    T.write(1, Base, 1 << 20).at(2000);
    DetectorRun Run = runDetector(Name, T);
    EXPECT_EQ(Run.RacyBytes.size(), runDetector("fasttrack", T).RacyBytes.size()) << Name;
    for (const Race &R : Run.Races)
      ASSERT_TRUE(R.First.Site && R.Second.Site) << Name;
  }
}

/// The shadow fractions that compression is about: on regular patterns at most one cell for a
/// hundred elements of an array, or, with bit sets, whose cells are each page's own, for forty;
/// on a mix with irregular accesses bit sets need at most a third of the cells of the six modes.
TEST(SlimState, ShadowFractions) {
  auto Fraction = [](const char *Name, Pattern P) {
    Generator G(patternOptions(P, 400'000));
    DetectorRun Run = runDetector(Name, G);
    EXPECT_TRUE(Run.Races.empty());
    EXPECT_GT(Run.Shadow.Elements, 50'000u);
    return double(Run.Shadow.PeakCells) / double(Run.Shadow.Elements);
  };
  for (Pattern P : {Pattern::Sweep, Pattern::Block, Pattern::Stride, Pattern::Prefix}) {
    EXPECT_LE(Fraction("slimstate", P), 1. / 100) << patternName(P);
    // Every page has its own cells: eight threads that take turns make sixteen classes of 512
    // granules.
    EXPECT_LE(Fraction("slimstate-bits", P), 1. / 30) << patternName(P);
  }
  EXPECT_LE(Fraction("slimstate-bits", Pattern::Mix), Fraction("slimstate", Pattern::Mix) * 0.6);
}

} // namespace
