//===- papers_test.cpp - The papers' own examples --------------------------------===//
//
// Figure 1 of verifiedft.txt, Figures 1 and 2 of slimstate.txt, Figures 3 and 4 of
// bigfoot.txt, as traces, with the state and the verdict that the papers print.
//
//===----------------------------------------------------------------------===//

#include "detector/sync.h"
#include "detector/verifiedft.h"
#include "shadow/array_shadow.h"
#include "test/unit/rule_counts.h"
#include "test/unit/trace_builder.h"
#include "trace/feasibility.h"
#include "trace/oracle.h"

#include "gtest/gtest.h"

using namespace photofinish;

namespace {

const char *const Precise[] = {"djit",       "fasttrack", "verifiedft-v1", "verifiedft-v1.5",
                               "verifiedft", "slimstate", "slimstate-bits"};

/// Every precise detector and the oracle agree with the paper on whether there is a race.
void expectRace(const Trace &Ops, bool HasRace, const std::string &What) {
  ASSERT_TRUE(isFeasible(Ops)) << What;
  EXPECT_EQ(runOracle(Ops).hasRace(), HasRace) << What;
  for (const char *Name : Precise)
    EXPECT_EQ(!runDetector(Name, Ops).Races.empty(), HasRace) << Name << ": " << What;
}

//===--- verifiedft.txt, Figure 1 -----------------------------------------===//

constexpr ThreadId A = 0, B = 1;
constexpr uint32_t M = 0;
constexpr uint64_t X = 0x10;

template <class Version> void verifiedFTFigure1() {
  ThreadState SA(A), SB(B);
  LockState Sm, Other;
  LockedCell Sx;
  Sx.assertOwned();
  unsigned Races = 0;
  auto OnRace = [&](Epoch First, Note, AccessKind) {
    ++Races;
    EXPECT_EQ(First, Epoch(B, 8)); // only B's read is concurrent with the last write
  };
  auto State = [&](uint64_t AA, uint64_t AB, uint64_t BA, uint64_t BB, Epoch R, Epoch W) {
    EXPECT_EQ(SA.clock().get(A), AA);
    EXPECT_EQ(SA.clock().get(B), AB);
    EXPECT_EQ(SB.clock().get(A), BA);
    EXPECT_EQ(SB.clock().get(B), BB);
    EXPECT_EQ(Sx.read(), R);
    EXPECT_EQ(Sx.write(), W);
  };
  // Up to the figure's first line: A has accessed x at clock 1.
  Version::read(SA, Sx, 0, OnRace);
  Version::write(SA, Sx, 0, OnRace);
  for (int I = 0; I < 3; ++I)
    rule::release(SA, Other);
  for (int I = 0; I < 7; ++I)
    rule::release(SB, Other);
  State(4, 0, 0, 8, Epoch(A, 1), Epoch(A, 1));

  Version::write(SA, Sx, 0, OnRace); // x = 0
  State(4, 0, 0, 8, Epoch(A, 1), Epoch(A, 4));
  rule::release(SA, Sm); // rel(m)
  State(5, 0, 0, 8, Epoch(A, 1), Epoch(A, 4));
  EXPECT_EQ(Sm.V.get(A), 4u);
  rule::acquire(SB, Sm); // acq(m)
  State(5, 0, 4, 8, Epoch(A, 1), Epoch(A, 4));
  Version::read(SB, Sx, 0, OnRace); // s = x
  State(5, 0, 4, 8, Epoch(B, 8), Epoch(A, 4));
  Version::read(SA, Sx, 0, OnRace); // t = x
  State(5, 0, 4, 8, Epoch::shared(), Epoch(A, 4));
  EXPECT_EQ(Sx.lastReadOf(A), 5u);
  EXPECT_EQ(Sx.lastReadOf(B), 8u);
  EXPECT_EQ(Races, 0u);
  Version::write(SA, Sx, 0, OnRace); // x = 1: race
  EXPECT_EQ(Races, 1u);
  EXPECT_EQ(SA.timesFired(Rule::SharedWriteRace), 1u);
}

TEST(VerifiedFTFigure1, StateAfterEveryStep) {
  verifiedFTFigure1<VerifiedFT<VerifiedFTVersion::V1>>();
  verifiedFTFigure1<VerifiedFT<VerifiedFTVersion::V1_5>>();
  verifiedFTFigure1<VerifiedFT<VerifiedFTVersion::V2>>();
  verifiedFTFigure1<VerifiedFTOwned>();
}

TEST(VerifiedFTFigure1, Verdict) {
  TraceBuilder Clean;
  Clean.acq(A, M).write(A, X).rel(A, M).acq(B, M).read(B, X).read(A, X);
  expectRace(Clean, false, "up to the concurrent reads");
  expectRace(Clean.write(A, X), true, "the last write races with B's read");
}

//===--- slimstate.txt, Figures 1 and 2 -------------------------------------===//

TEST(SlimStateFigure1, ThirdAccessRaces) {
  TraceBuilder T;
  T.acq(A, M).write(A, X).rel(A, M).acq(B, M).write(B, X);
  expectRace(T, false, "ordered by m");
  expectRace(T.write(A, X), true, "A's second write");
}

/// The figure's array has four elements; ours has four runs of four, so that it is above
/// the threshold for small arrays. Every critical section writes it element by element.
TEST(SlimStateFigure2, RefinesFromOneCellToTwo) {
  constexpr uint64_t Base = 0x1000, Run = 4, Size = 8;
  TraceBuilder T;
  T.alloc(A, Base, 4 * Run * Size);
  auto Section = [&](ThreadId Thread, uint64_t Runs) {
    T.acq(Thread, M);
    for (uint64_t I = 0; I < Runs * Run; ++I)
      T.write(Thread, Base + I * Size, Size);
    T.rel(Thread, M);
  };
  T.fork(A, B);
  Section(A, 4);
  Section(B, 4);
  for (const char *Name : {"slimstate", "slimstate-bits"})
    EXPECT_EQ(runDetector(Name, T).Shadow.Cells, 1u) << Name;
  Section(A, 2);
  expectRace(T, false, "all under m");
  DetectorRun Six = runDetector("slimstate", T), Bits = runDetector("slimstate-bits", T);
  EXPECT_EQ(Six.Shadow.Cells, 2u);
  EXPECT_EQ(Bits.Shadow.Cells, 2u);
  EXPECT_EQ(Six.Rules["Coarse Whole"], 2u);
  EXPECT_EQ(Six.Rules["Coarse Head"], 1u);
  // One check and update per commit, where FastTrack makes one per element.
  EXPECT_EQ(Six.Rules["Write Exclusive"], 3u);
  EXPECT_EQ(runDetector("fasttrack", T).Rules["Write Exclusive"], 10 * Run);
  Section(B, 4);
  EXPECT_EQ(runDetector("slimstate", T).Rules["Split Whole"], 1u);
  EXPECT_EQ(runDetector("slimstate-bits", T).Shadow.Cells, 1u) << "equal classes merge again";
}

//===--- bigfoot.txt, Figure 3 ----------------------------------------------===//

/// Thread 1 runs the fragment; thread 2 writes b.f once, anywhere, under the lock or not.
/// The accesses race exactly if the single check races with that write.
TEST(BigFootFigure3, OneCheckIsPreciseForAllThreeAccesses) {
  constexpr uint64_t F = 0x40;
  for (bool Locked : {false, true})
    for (unsigned Position = 0; Position <= 8; ++Position) {
      TraceBuilder Accesses, Checks;
      bool Feasible = true;
      auto Step = [&](unsigned I, auto &&Both, bool Access, bool Check) {
        if (I == Position) {
          for (TraceBuilder *T : {&Accesses, &Checks}) {
            if (Locked)
              T->acq(2, M);
            T->write(2, F);
            if (Locked)
              T->rel(2, M);
          }
        }
        Both(Accesses);
        Both(Checks);
        if (Access)
          Accesses.read(1, F);
        if (Check)
          Checks.read(1, F);
      };
      auto Nothing = [](TraceBuilder &) {};
      auto Acq = [](TraceBuilder &T) { T.acq(1, M); };
      auto Rel = [](TraceBuilder &T) { T.rel(1, M); };
      Step(0, Acq, false, false);    // 1: acq(lock)
      Step(1, Nothing, true, false); // 2: x = b.f
      Step(2, Rel, false, false);    // 3: rel(lock)
      Step(3, Nothing, true, false); // 4: y = b.f
      Step(4, Nothing, false, true); // 5: check(b.f)
      Step(5, Acq, false, false);    // 6: acq(lock)
      Step(6, Nothing, true, false); // 7: z = b.f
      Step(7, Rel, false, false);    // 8: rel(lock)
      Step(8, Nothing, false, false);
      Feasible = isFeasible(Accesses);
      ASSERT_EQ(Feasible, isFeasible(Checks));
      if (!Feasible)
        continue; // thread 2 wants the lock while thread 1 has it
      bool Races = runOracle(Accesses).hasRace();
      std::string What = "position " + std::to_string(Position) + (Locked ? " locked" : "");
      expectRace(Accesses, Races, What);
      expectRace(Checks, Races, What + ", checks only");
    }
}

//===--- bigfoot.txt, Figure 4 ----------------------------------------------===//

enum class CheckAt { BeforeRelease, BeforeAccess, AfterAccess, AfterAcquire };

/// Thread 1 accesses y.f between rel(l) and acq(m); thread 2's access comes after acq(l)
/// and before rel(m). A check covers the access if no release comes in between before it
/// and no acquire after it.
TEST(BigFootFigure4a, ChecksOutsideTheCoveringRangeMissTheRace) {
  constexpr uint32_t L = 5;
  constexpr uint64_t YF = 0x50;
  auto Build = [&](bool Access, std::initializer_list<CheckAt> Checks) {
    TraceBuilder T;
    auto Check = [&](CheckAt Where) {
      for (CheckAt C : Checks)
        if (C == Where)
          T.write(1, YF);
    };
    T.acq(1, L);
    Check(CheckAt::BeforeRelease);
    T.rel(1, L);
    Check(CheckAt::BeforeAccess);
    if (Access)
      T.write(1, YF);
    Check(CheckAt::AfterAccess);
    T.acq(2, L).rel(2, L).write(2, YF).acq(2, M).rel(2, M);
    T.acq(1, M);
    Check(CheckAt::AfterAcquire);
    T.rel(1, M);
    return Trace(T);
  };
  expectRace(Build(true, {}), true, "the accesses race");
  expectRace(Build(false, {CheckAt::BeforeAccess}), true, "in the covering range");
  expectRace(Build(false, {CheckAt::AfterAccess}), true, "in the covering range");
  expectRace(Build(false, {CheckAt::BeforeRelease}), false, "a release comes in between");
  expectRace(Build(false, {CheckAt::AfterAcquire}), false, "an acquire comes in between");
}

/// The accesses are ordered by m. A check is legitimate if no acquire comes between it and
/// the access after it, and no release between the access before it and it.
TEST(BigFootFigure4b, ChecksOutsideTheLegitimateRangeAreFalseAlarms) {
  constexpr uint64_t YF = 0x50;
  enum class At { BeforeAcquire, Inside, AfterRelease };
  auto Build = [&](bool Access, std::initializer_list<At> Checks) {
    TraceBuilder T;
    auto Check = [&](At Where) {
      for (At C : Checks)
        if (C == Where)
          T.write(1, YF);
    };
    T.acq(2, M).write(2, YF).rel(2, M);
    Check(At::BeforeAcquire);
    T.acq(1, M);
    if (Access)
      T.write(1, YF);
    Check(At::Inside);
    T.rel(1, M);
    Check(At::AfterRelease);
    T.acq(2, M).write(2, YF).rel(2, M);
    return Trace(T);
  };
  expectRace(Build(true, {}), false, "the accesses are ordered");
  expectRace(Build(false, {At::Inside}), false, "in the legitimate range");
  expectRace(Build(false, {At::BeforeAcquire}), true, "before the acquire");
  expectRace(Build(false, {At::AfterRelease}), true, "after the release");
}

} // namespace
