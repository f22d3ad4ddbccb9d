//===- lockset_test.cpp - The lockset detector against its definition -------===//
//
// From the inside out: the relations, the history of one location, the caches, the
// examples of choi02.txt, and thousands of random traces. Every trace, hand-written or not,
// is also given to the oracle, which compares all pairs of events: the detector must
// report races on the same bytes, and only pairs that the oracle has.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/lockset.h"

#include "random_lock_trace.h"
#include "test/unit/random_lock_trace.h"
#include "trace/feasibility.h"
#include "trace/generator.h"
#include "trace/lockset_oracle.h"
#include "trace_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

using namespace photofinish;
using namespace photofinish::lockset;

namespace {

constexpr uint64_t X = 0x1000, Y = 0x2000;
constexpr auto Rlx = MemoryOrder::Relaxed;
enum : uint32_t { A, B, C }; // locks

//===-- Relations ----------------------------------------------------------------===//

TEST(LocksetRelations, AccessTypes) {
  constexpr auto R = AccessType::Read, W = AccessType::Write;
  EXPECT_EQ(meet(R, R), R);
  EXPECT_EQ(meet(R, W), W);
  EXPECT_EQ(meet(W, R), W);
  EXPECT_EQ(meet(W, W), W);
  EXPECT_TRUE(isWeaker(W, R));
  EXPECT_FALSE(isWeaker(R, W));
  EXPECT_TRUE(isWeaker(R, R));
  EXPECT_TRUE(isWeaker(W, W));
}

TEST(LocksetRelations, Threads) {
  const auto T1 = ThreadMeet::of(1), T2 = ThreadMeet::of(2);
  const auto Top = ThreadMeet::top(), Bottom = ThreadMeet::bottom();
  EXPECT_EQ(meet(T1, T1), T1);
  EXPECT_EQ(meet(T1, T2), Bottom);
  EXPECT_EQ(meet(T1, Top), T1);
  EXPECT_EQ(meet(Top, T2), T2);
  EXPECT_EQ(meet(T1, Bottom), Bottom);
  EXPECT_EQ(meet(Top, Bottom), Bottom);
  EXPECT_TRUE(isWeaker(T1, T1));
  EXPECT_FALSE(isWeaker(T1, T2));
  EXPECT_TRUE(isWeaker(Bottom, T1));
  EXPECT_FALSE(isWeaker(T1, Bottom));
  EXPECT_FALSE(isWeaker(Top, T1));
}

TEST(LocksetRelations, DummyLocks) {
  DummyLocks D(3);
  EXPECT_TRUE(D.holds(3));
  EXPECT_FALSE(D.holds(100));
  D.join(100);
  const JoinChain *First = D.joined();
  D.join(100); // once is enough
  EXPECT_EQ(D.joined(), First);
  EXPECT_TRUE(D.holds(100));
  EXPECT_FALSE(D.holds(101));
  D.join(4);
  EXPECT_EQ(D.joined()->Earlier, First);
}

//===-- One location ----------------------------------------------------------------===//

/// A location that is shared from the start, and threads 0 to 3.
class LocksetHistory : public testing::Test {
protected:
  LocksetHistory() {
    Location.own(9);
    Location.share(Nodes);
  }

  /// The site of the earlier access, if this one races.
  std::optional<uint32_t> access(uint32_t Thread, AccessType Type, uint32_t Site,
                                 bool IsAtomic = false) {
    std::optional<uint32_t> Found;
    rule::access(
        T[Thread], Location, {Type, IsAtomic, Site}, Nodes, [](uint32_t) { return false; },
        [&](const StoredAccess &P) { Found = P.Site; });
    EXPECT_TRUE(Location.isWellFormed());
    return Found;
  }
  std::optional<uint32_t> read(uint32_t Thread, uint32_t Site) {
    return access(Thread, AccessType::Read, Site);
  }
  std::optional<uint32_t> write(uint32_t Thread, uint32_t Site) {
    return access(Thread, AccessType::Write, Site);
  }
  uint64_t fired(Rule R) const {
    uint64_t Sum = 0;
    for (const LocksetThread &Each : T)
      Sum += Each.timesFired(R);
    return Sum;
  }

  static constexpr auto None = std::nullopt;
  Census Nodes;
  LocksetThread T[4] = {LocksetThread(0), LocksetThread(1), LocksetThread(2), LocksetThread(3)};
  LocksetLocation Location;
};

TEST_F(LocksetHistory, WeaknessCheckDropsRepeatedAndStrongerAccesses) {
  T[0].acquire(A);
  write(0, 1);
  write(0, 2); // the same again
  read(0, 3);  // WRITE ⊑ READ
  T[0].acquire(B);
  write(0, 4); // {A} ⊆ {A,B}
  EXPECT_EQ(fired(Rule::Weaker), 3u);
  EXPECT_EQ(fired(Rule::Update), 1u);
  EXPECT_EQ(Nodes.nodes(), 2u); // the root and A
  T[0].release(A);
  write(0, 5); // {B} is new
  EXPECT_EQ(fired(Rule::Update), 2u);
  EXPECT_EQ(Nodes.nodes(), 3u);
}

TEST_F(LocksetHistory, ReadIsNotWeakerThanWrite) {
  read(0, 1);
  write(0, 2);
  EXPECT_EQ(fired(Rule::Weaker), 0u);
  EXPECT_EQ(write(1, 3), 2u);
}

TEST_F(LocksetHistory, PruningRemovesStrongerAccessesAndTheirNodes) {
  T[0].acquire(A);
  T[0].acquire(B);
  T[0].acquire(C);
  read(0, 1); // {A,B,C}
  T[0].release(A);
  read(0, 2); // {B,C} prunes it, nodes and all
  EXPECT_EQ(fired(Rule::Pruned), 1u);
  EXPECT_EQ(Nodes.nodes(), 3u);
  T[0].release(C);
  T[0].acquire(A);
  read(0, 3); // {A,B} and {B,C} do not compare
  EXPECT_EQ(fired(Rule::Pruned), 1u);
  EXPECT_EQ(Nodes.nodes(), 5u);
  T[0].release(A);
  write(0, 4); // {B} is below both
  EXPECT_EQ(fired(Rule::Pruned), 3u);
  EXPECT_EQ(Nodes.nodes(), 2u);
  EXPECT_EQ(Nodes.peak(), 6u); // {A,B,C} and {B,C} for a moment
}

TEST_F(LocksetHistory, PruningSparesOtherThreadsAndWeakerTypes) {
  for (uint32_t I : {0, 1})
    T[I].readLock(A);
  read(0, 1);
  read(1, 2);
  T[0].release(A);
  read(0, 3); // does not speak for T1
  EXPECT_EQ(fired(Rule::Pruned), 1u);
  T[2].acquire(B);
  EXPECT_TRUE(write(2, 4));
  T[2].release(B);
  read(2, 5); // READ does not speak for WRITE
  EXPECT_EQ(fired(Rule::Pruned), 1u);
}

TEST_F(LocksetHistory, CaseISkipsWhateverSharesALock) {
  T[0].acquire(A);
  write(0, 1);
  T[0].acquire(B);
  T[0].release(A);
  write(0, 2); // {B}
  T[1].acquire(A);
  EXPECT_EQ(write(1, 3), 2u);
  EXPECT_EQ(fired(Rule::CommonLock), 1u);
  EXPECT_GE(fired(Rule::Descend), 1u);
}

TEST_F(LocksetHistory, CaseIIIFindsRacesDeepDown) {
  T[0].acquire(A);
  T[0].acquire(C);
  write(0, 1); // {A,C}
  T[1].acquire(B);
  EXPECT_EQ(read(1, 2), 1u);
  T[1].acquire(C);
  EXPECT_EQ(read(1, 3), None);
}

// (T0, READ) and (T1, WRITE) meet in (t⊥, WRITE); the paper's footnote lives with the alarm.
TEST_F(LocksetHistory, NoAlarmFromTheMeetOfTwoThreads) {
  T[0].readLock(A);
  read(0, 1);
  T[0].release(A);
  T[1].acquire(A);
  write(1, 2);
  T[1].release(A);
  EXPECT_EQ(read(1, 3), None);
  EXPECT_EQ(fired(Rule::Race), 0u);
  EXPECT_EQ(write(0, 4), 3u);
}

// t⊥ ⊑ T3 would have dropped the third write.
TEST_F(LocksetHistory, ThirdThreadIsNotForgottenForTheFirstTwo) {
  for (uint32_t I : {1, 2, 3}) {
    T[I].acquire(A);
    EXPECT_EQ(write(I, I), None);
    T[I].release(A);
  }
  T[0].join(1);
  T[0].join(2);
  EXPECT_EQ(read(0, 10), 3u);
  T[0].join(3);
  EXPECT_EQ(write(0, 11), None);
}

TEST_F(LocksetHistory, ReportsTheAccessThatRaces) {
  T[1].acquire(A);
  read(1, 1);
  T[2].acquire(A);
  T[2].release(A);
  T[2].acquire(A);
  write(2, 2);
  EXPECT_EQ(read(3, 3), 2u);    // not the read of T1
  EXPECT_EQ(write(2, 4), None); // weaker: under A already
  T[2].release(A);
  EXPECT_EQ(write(2, 5), 3u); // at the root, before the read of T1 under A
}

TEST_F(LocksetHistory, SharedLocksProtectReadsOnly) {
  T[0].readLock(A);
  write(0, 1);
  T[1].acquire(A);
  EXPECT_EQ(read(1, 2), 1u);
}

TEST_F(LocksetHistory, AtomicsRaceWithPlainAccessesOnly) {
  EXPECT_EQ(access(0, AccessType::Write, 1, true), None);
  EXPECT_EQ(access(1, AccessType::Write, 2, true), None);
  EXPECT_TRUE(access(2, AccessType::Read, 3, false));
}

TEST_F(LocksetHistory, CopiesAreIndependent) {
  T[0].acquire(A);
  write(0, 1);
  LocksetLocation Copy;
  Copy.copyFrom(Location);
  EXPECT_EQ(Nodes.nodes(), 4u);
  EXPECT_EQ(write(1, 2), 1u);
  EXPECT_EQ(Nodes.nodes(), 4u);
  unsigned Races = 0;
  rule::access(
      T[2], Copy, {AccessType::Read, false, 3}, Nodes, [](uint32_t) { return false; },
      [&](const StoredAccess &P) {
        ++Races;
        EXPECT_EQ(P.Site, 1u);
      });
  EXPECT_EQ(Races, 1u);
  EXPECT_TRUE(Copy.isWellFormed());
  Copy.reset();
  EXPECT_EQ(Nodes.nodes(), 2u);
  EXPECT_FALSE(Copy.isTouched());
}

//===-- The cache alone ----------------------------------------------------------------===//

TEST(LocksetCache, BytesAndAtomics) {
  AccessCache Cache;
  EXPECT_FALSE(Cache.hit(7, 0x01, false));
  Cache.insert(7, 0x0f, false, 0);
  EXPECT_TRUE(Cache.hit(7, 0x0f, false));
  EXPECT_TRUE(Cache.hit(7, 0x06, true)); // plain ⊑ atomic
  EXPECT_FALSE(Cache.hit(7, 0x18, false));
  Cache.insert(7, 0x30, true, 0);
  EXPECT_TRUE(Cache.hit(7, 0x3f, true));
  EXPECT_FALSE(Cache.hit(7, 0x10, false));
  EXPECT_TRUE(Cache.hit(7, 0x0f, false));
  EXPECT_TRUE(Cache.forget(7, 0x12));
  EXPECT_FALSE(Cache.forget(7, 0x12));
  EXPECT_FALSE(Cache.hit(7, 0x02, false));
  EXPECT_FALSE(Cache.hit(7, 0x10, true));
  EXPECT_TRUE(Cache.hit(7, 0x2d, true));
}

TEST(LocksetCache, OneLocationPerIndex) {
  AccessCache Cache;
  uint64_t Other = conflicting(5);
  EXPECT_FALSE(Cache.insert(5, 0xff, false, 0));
  EXPECT_TRUE(Cache.insert(Other, 0x01, false, 0));
  EXPECT_FALSE(Cache.hit(5, 0x01, false));
  EXPECT_TRUE(Cache.hit(Other, 0x01, false));
  EXPECT_FALSE(Cache.hit(Other, 0x02, false));
  Cache.forget(5, 0xff); // not there any more
  EXPECT_TRUE(Cache.hit(Other, 0x01, false));
}

TEST(LocksetCache, EvictionByDepth) {
  AccessCache Cache;
  for (uint32_t Depth = 0; Depth < 4; ++Depth)
    for (uint64_t I = 0; I < 5; ++I)
      Cache.insert(uint64_t(Depth) * 5 + I, 0xff, false, Depth);
  unsigned Present = 0;
  for (uint64_t G = 10; G < 20; ++G)
    Present += Cache.hit(G, 0xff, false);
  EXPECT_EQ(Cache.evictFrom(2), Present);
  for (uint64_t G = 10; G < 20; ++G)
    EXPECT_FALSE(Cache.hit(G, 0xff, false));
  EXPECT_TRUE(Cache.hit(9, 0xff, false));
  EXPECT_TRUE(Cache.hit(4, 0xff, false));
  EXPECT_EQ(Cache.evictFrom(2), 0u);
  EXPECT_GT(Cache.evictFrom(0), 0u);
  EXPECT_FALSE(Cache.hit(0, 0xff, false));
}

TEST(LocksetCache, BytesMoveToTheDeepestList) {
  AccessCache Cache;
  Cache.insert(3, 0x01, false, 0);
  Cache.insert(3, 0x02, false, 2);
  EXPECT_TRUE(Cache.hit(3, 0x03, false));
  EXPECT_EQ(Cache.evictFrom(1), 1u);
  EXPECT_FALSE(Cache.hit(3, 0x01, false));
  EXPECT_FALSE(Cache.hit(3, 0x02, false));
}

TEST(LocksetCache, ForgetsRanges) {
  for (uint64_t Size : {1u, 3u, 8u, 9u, 40u, 256u * 8, 257u * 8 + 1, 100000u})
    for (uint64_t Start : {80u, 83u}) {
      AccessCache Cache;
      const uint64_t Near[] = {9, 10, 11, (Start + Size - 1) / 8, (Start + Size - 1) / 8 + 1};
      for (uint64_t G : Near) {
        Cache.insert(G, 0xff, G % 2, 0);
        Cache.forgetRange(Start, Size);
        for (uint64_t Byte = G * 8; Byte < G * 8 + 8; ++Byte)
          EXPECT_EQ(Cache.hit(G, byteMask(Byte, 1), true), Byte < Start || Byte >= Start + Size)
              << Byte << " of " << Start << "," << Size;
      }
    }
}

TEST(LocksetCache, RandomAgainstNaiveLists) {
  // What the lists must amount to: a map from granule to bytes and depth.
  struct Naive {
    uint64_t Granule = 0;
    unsigned Plain = 0, Atomic = 0;
    uint32_t Depth = 0;
  };
  std::mt19937 Random(1);
  for (unsigned Round = 0; Round < 50; ++Round) {
    AccessCache Cache;
    std::vector<Naive> Slots(AccessCache::Entries);
    uint32_t Depth = 0;
    for (unsigned Step = 0; Step < 1000; ++Step) {
      uint64_t Granule = Random() % 600;
      Naive &N = Slots[AccessCache::indexOf(Granule)];
      bool IsAtomic = Random() % 2;
      unsigned Bytes = 1u << Random() % 8;
      switch (Random() % 8) {
      case 0:
        Depth += Depth < 6;
        break;
      case 1:
        if (uint32_t From = Depth ? 1 + Random() % Depth : 0) {
          Cache.evictFrom(From);
          for (Naive &Each : Slots)
            if (Each.Depth >= From)
              Each = {};
          --Depth;
        }
        break;
      case 2:
        Cache.forget(Granule, uint8_t(Bytes));
        if (N.Granule == Granule) {
          N.Plain &= ~Bytes;
          N.Atomic &= ~Bytes;
        }
        break;
      default:
        Cache.insert(Granule, uint8_t(Bytes), IsAtomic, Depth);
        if (N.Granule != Granule)
          N = {Granule, 0, 0, 0};
        (IsAtomic ? N.Atomic : N.Plain) |= Bytes;
        N.Depth = Depth;
      }
      for (uint64_t G : {Granule, uint64_t(Random() % 600)}) {
        const Naive &M = Slots[AccessCache::indexOf(G)];
        bool Mine = M.Granule == G;
        ASSERT_EQ(Cache.hit(G, uint8_t(Bytes), false), Mine && (M.Plain & Bytes));
        ASSERT_EQ(Cache.hit(G, uint8_t(Bytes), true), Mine && ((M.Plain | M.Atomic) & Bytes));
      }
    }
  }
}

//===-- Whole traces ----------------------------------------------------------------===//

struct RaceList final : RaceSink {
  std::vector<Race> Races;
  void report(const Race &R) override { Races.push_back(R); }
};

/// The detector over a trace whose sites tell every operation apart, compared with the oracle.
class Analysed {
public:
  explicit Analysed(Trace Ops) : Detector(Found) {
    for (size_t I = 0; I < Ops.size(); ++I)
      Ops[I].Site = SiteId(I + 1);
    EXPECT_TRUE(isFeasible(Ops));
    for (const Operation &Op : Ops)
      Detector.process(Op);
    EXPECT_TRUE(Detector.isWellFormed());
    Detector.finish();
    compare(Ops, runLocksetOracle(Ops));
  }

  const std::set<uint64_t> &bytes() const { return Bytes; }
  bool raced() const { return !Bytes.empty(); }
  /// Indices of the two operations of every report.
  std::vector<std::pair<size_t, size_t>> pairs() const {
    std::vector<std::pair<size_t, size_t>> Pairs;
    for (const Race &R : Found.Races)
      Pairs.emplace_back(R.First.Site - 1, R.Second.Site - 1);
    return Pairs;
  }
  uint64_t fired(Rule R) const { return Detector.timesFired(R); }
  ShadowSize shadowSize() const { return Detector.shadowSize(); }
  std::vector<RuleCount> ruleCounts() const { return Detector.ruleCounts(); }

private:
  void compare(const Trace &Ops, const LocksetOracleResult &Expected) {
    for (const Race &R : Found.Races) {
      for (uint64_t Byte = R.Address; Byte < R.Address + R.Size; ++Byte)
        Bytes.insert(Byte);
      size_t First = R.First.Site - 1, Second = R.Second.Site - 1;
      EXPECT_EQ(R.Operation, Second);
      EXPECT_TRUE(std::binary_search(Expected.Races.begin(), Expected.Races.end(),
                                     std::pair(First, Second)))
          << "no race of operations " << First << " and " << Second;
      for (const RaceAccess &Side : {R.First, R.Second}) {
        const Operation &Op = Ops[Side.Site - 1];
        EXPECT_EQ(Side.Thread, Op.Thread);
        EXPECT_EQ(Side.IsWrite, isWriteAccess(Op.Kind));
        EXPECT_EQ(Side.IsAtomic, isAtomicAccess(Op.Kind));
        EXPECT_LE(Op.Target, R.Address);
        EXPECT_GE(Op.Target + Op.Size, R.Address + R.Size);
      }
    }
    EXPECT_EQ(Bytes, Expected.RacyBytes);
  }

  RaceList Found;
  LocksetDetector Detector;
  std::set<uint64_t> Bytes;
};

using Pairs = std::vector<std::pair<size_t, size_t>>;

// choi02.txt, section 2: T0's critical section came first, so that happens-before orders the
// writes of x; it need not have.
TEST(Lockset, FeasibleRaceHiddenByHappensBefore) {
  TraceBuilder T;
  T.read(2, X); // x is shared
  size_t First = T.write(0, X).last();
  T.acq(0, A).rel(0, A).acq(1, A).rel(1, A);
  size_t Second = T.write(1, X).last();
  Pairs Found = Analysed(T).pairs();
  EXPECT_TRUE(std::find(Found.begin(), Found.end(), std::pair(First, Second)) != Found.end());
}

TEST(Lockset, MutuallyIntersectingLocksetsDoNotRace) {
  // Eraser would have intersected all three, and found no lock left.
  TraceBuilder T;
  for (auto [Thread, M, N] : {std::tuple(0, A, B), {1, B, C}, {2, A, C}, {0, A, B}})
    T.acq(Thread, M).acq(Thread, N).write(Thread, X).rel(Thread, N).rel(Thread, M);
  EXPECT_FALSE(Analysed(T).raced());
  T.acq(3, B).write(3, X).rel(3, B);
  EXPECT_TRUE(Analysed(T).raced());
}

TEST(Lockset, JoinByDummyLocks) {
  // The paper's statistics: children update under a lock, the parent joins them and does not
  // bother to take it.
  TraceBuilder T;
  T.fork(0, 1).fork(0, 2);
  for (uint32_t Child : {1, 2, 1, 2})
    T.acq(Child, A).write(Child, X, 4).rel(Child, A);
  T.join(0, 1);
  Trace TooEarly = TraceBuilder(T).read(0, X, 4).join(0, 2);
  EXPECT_TRUE(Analysed(TooEarly).raced());
  T.join(0, 2).read(0, X, 4).write(0, X, 4);
  EXPECT_FALSE(Analysed(T).raced());
}

TEST(Lockset, ThreadsThatJoinedTheSameOneDoNotRace) {
  TraceBuilder T;
  T.read(1, X).read(3, X).join(0, 1).join(2, 1);
  T.write(0, X);
  EXPECT_EQ(Analysed(T).bytes().size(), 1u); // with T3
  EXPECT_FALSE(
      Analysed(TraceBuilder().read(1, X).join(0, 1).join(2, 1).write(0, X).write(2, X)).raced());
}

TEST(Lockset, AccessBeforeAJoinIsNotPrunedByOneAfterIt) {
  // T0's write holds S_1, its read does not.
  TraceBuilder T;
  T.read(1, X).read(0, X).join(0, 1).write(0, X).join(2, 1).write(2, X);
  EXPECT_EQ(Analysed(T).pairs(), Pairs({{1, 5}}));
}

TEST(Lockset, OwnershipHandsInitialisedDataOn) {
  // Not a race: the child finds what its parent has prepared. But one write too many is.
  TraceBuilder T;
  T.write(0, X, 8).write(0, X, 8).fork(0, 1).read(1, X, 8).write(1, X, 8);
  Analysed Handed(T);
  EXPECT_FALSE(Handed.raced());
  EXPECT_EQ(Handed.fired(Rule::Shared), 1u);
  size_t Late = T.write(0, X, 8).last();
  EXPECT_EQ(Analysed(T).pairs(), Pairs({{4, Late}}));
}

TEST(Lockset, AllocationStartsAnew) {
  TraceBuilder T;
  T.alloc(0, X, 8).write(0, X, 8).write(1, X + 4, 4).free(0, X, 8);
  EXPECT_EQ(Analysed(T).bytes(), std::set<uint64_t>({X + 4, X + 5, X + 6, X + 7}));
  // T1 owns the second life.
  TraceBuilder Second;
  Second.alloc(0, X, 8).write(0, X, 8).free(0, X, 8).alloc(1, X, 8).write(1, X, 8);
  EXPECT_FALSE(Analysed(Second).raced());
}

TEST(Lockset, WaitGivesTheLockBack) {
  TraceBuilder T;
  T.read(1, X).acq(0, A).write(0, X).wait(0, 0, A).acq(1, A).write(1, X).rel(1, A);
  T.wake(0, 0, A).write(0, X).rel(0, A);
  EXPECT_FALSE(Analysed(T).raced());
  T.write(0, X);
  EXPECT_TRUE(Analysed(T).raced());
}

TEST(Lockset, NothingElseOrders) {
  auto Shared = [] { return TraceBuilder().read(2, X); };
  EXPECT_TRUE(Analysed(Shared().write(0, X).fork(0, 1).write(1, X)).raced());
  EXPECT_TRUE(Analysed(Shared().write(0, X).once(0, 0).once(1, 0).write(1, X)).raced());
  EXPECT_TRUE(
      Analysed(Shared().write(0, X).arrive(0, 0).arrive(1, 0).depart(1, 0).write(1, X)).raced());
  EXPECT_TRUE(Analysed(Shared()
                           .write(0, X)
                           .astore(0, Y, MemoryOrder::Release)
                           .aload(1, Y, MemoryOrder::Acquire)
                           .write(1, X))
                  .raced());
}

TEST(Lockset, MixedSizes) {
  TraceBuilder T;
  T.write(0, X, 16).write(1, X + 3, 2).write(0, X + 4, 8);
  EXPECT_EQ(Analysed(T).bytes(), std::set<uint64_t>({X + 4}));
}

TEST(Lockset, RacingEventsAreRecordedToo) {
  TraceBuilder T;
  T.read(0, X).read(1, X).write(2, X).write(1, X);
  EXPECT_EQ(Analysed(T).pairs(), Pairs({{1, 2}, {2, 3}}));
}

TEST(Lockset, ShadowSizeCountsNodes) {
  TraceBuilder T;
  T.write(0, X, 8).write(0, Y, 8);
  ShadowSize Owned = Analysed(T).shadowSize();
  EXPECT_EQ(Owned.Elements, 2u);
  EXPECT_EQ(Owned.Cells, 0u);
  T.acq(1, A).acq(1, B).read(1, X, 8).rel(1, A).read(1, X, 8);
  ShadowSize Shared = Analysed(T).shadowSize();
  EXPECT_EQ(Shared.Cells, 2u);     // the root and B
  EXPECT_EQ(Shared.PeakCells, 4u); // and A, B below it
  T.rel(1, B).alloc(0, X, 8);
  EXPECT_EQ(Analysed(T).shadowSize().Cells, 0u);
}

TEST(Lockset, RulesCountThemselves) {
  std::vector<RuleCount> Counts = Analysed(TraceBuilder().write(0, X).write(0, X)).ruleCounts();
  ASSERT_EQ(Counts.size(), 2u);
  EXPECT_EQ(Counts[0].Rule, "Cache Hit");
  EXPECT_EQ(Counts[0].Count, 1u);
  EXPECT_EQ(Counts[1].Rule, "Owned");
  EXPECT_EQ(Counts[1].Count, 1u);
}

//===-- Caches within traces -----------------------------------------------------------===//

/// x has been read by T8 and T9, so that every access from now on is an event.
TraceBuilder sharedX() { return TraceBuilder().read(8, X, 8).read(9, X, 8); }

TEST(LocksetCaching, HitsUnderTheSameOrMoreLocks) {
  TraceBuilder T = sharedX();
  T.acq(0, A).write(0, X, 8).write(0, X, 8).acq(0, B).write(0, X, 4).read(0, X + 6, 2);
  EXPECT_EQ(Analysed(T).fired(Rule::CacheHit), 3u);
  T.rel(0, B).write(0, X, 8); // made when A was the last lock, which is still held
  EXPECT_EQ(Analysed(T).fired(Rule::CacheHit), 4u);
}

TEST(LocksetCaching, ReadsDoNotServeWrites) {
  EXPECT_EQ(Analysed(sharedX().read(0, X).write(0, X)).fired(Rule::CacheHit), 0u);
}

TEST(LocksetCaching, ReleaseEvicts) {
  TraceBuilder T = sharedX();
  T.acq(0, A).write(0, X).rel(0, A).acq(1, A).write(1, X).rel(1, A);
  size_t Bare = T.write(0, X).last();
  Analysed R(T);
  EXPECT_TRUE(R.raced());
  EXPECT_EQ(R.fired(Rule::CacheHit), 0u);
  EXPECT_EQ(R.fired(Rule::CacheEvict), 2u);
  Pairs Found = R.pairs();
  EXPECT_TRUE(std::any_of(Found.begin(), Found.end(), [&](auto &P) { return P.second == Bare; }));
}

TEST(LocksetCaching, HandOverHandEvictsLaterLocksToo) {
  // The entry is in B's list, but was made under A and B; then A goes and B stays.
  TraceBuilder T;
  T.read(8, X).acq(1, A).read(1, X).acq(1, C).rel(1, A).rel(1, C); // shared; no write yet
  T.acq(0, A).acq(0, B).write(0, X).rel(0, A);
  T.write(0, X).rel(0, B);
  T.acq(1, A).write(1, X).rel(1, A);
  Analysed R(T);
  Pairs Found = R.pairs();
  EXPECT_TRUE(std::find(Found.begin(), Found.end(), std::pair<size_t, size_t>(10, 13)) !=
              Found.end());
  EXPECT_EQ(R.fired(Rule::CacheHit), 0u);
}

TEST(LocksetCaching, WaitEvicts) {
  TraceBuilder T;
  T.read(1, X).acq(0, A).write(0, X).wait(0, 0, A).wake(0, 0, A).write(0, X).rel(0, A);
  EXPECT_EQ(Analysed(T).fired(Rule::CacheHit), 0u);
}

TEST(LocksetCaching, SharedLocksDoNotConcernWrites) {
  TraceBuilder T = sharedX();
  T.acq(0, A).rlk(0, B).write(0, X).read(0, X + 1).rul(0, B);
  T.write(0, X);    // its lockset was {A} all along
  T.read(0, X + 1); // its lockset was {A,B}
  EXPECT_EQ(Analysed(T).fired(Rule::CacheHit), 1u);
}

TEST(LocksetCaching, AtomicEntriesDoNotServePlainAccesses) {
  TraceBuilder T = sharedX();
  T.astore(0, X, Rlx).astore(1, X, Rlx);
  Analysed Atomics(T);
  T.read(0, X);
  EXPECT_EQ(Analysed(T).fired(Rule::CacheHit), 0u);
  EXPECT_EQ(Analysed(T).bytes().size(), 1u);
  EXPECT_EQ(Analysed(sharedX().write(0, X).astore(0, X, Rlx)).fired(Rule::CacheHit), 1u);
}

TEST(LocksetCaching, JoinKeepsEntries) {
  TraceBuilder T = sharedX();
  T.write(0, X).join(0, 8).write(0, X);
  EXPECT_EQ(Analysed(T).fired(Rule::CacheHit), 1u);
}

TEST(LocksetCaching, EndOfOwnershipEvictsFromTheOwner) {
  // T0's entry stems from writes that ownership suppressed.
  TraceBuilder T;
  T.write(0, X, 8).write(0, X, 8).write(1, X, 4);
  // The other half still is T0's, and in its cache.
  EXPECT_EQ(Analysed(TraceBuilder(T).write(0, X + 4, 4)).fired(Rule::CacheHit), 2u);
  size_t Again = T.write(0, X, 8).last();
  Analysed R(T);
  EXPECT_EQ(R.pairs(), Pairs({{2, Again}}));
  EXPECT_EQ(R.bytes().size(), 4u);
  EXPECT_EQ(R.fired(Rule::CacheEvictShared), 1u);
}

TEST(LocksetCaching, AllocationEvictsFromEverybody) {
  TraceBuilder T;
  T.alloc(0, X, 8).write(1, X).free(1, X, 8).alloc(0, X, 8);
  T.read(2, X).write(1, X).write(2, X);
  EXPECT_EQ(Analysed(T).pairs(), Pairs({{5, 6}}));
}

TEST(LocksetCaching, ConflictsEvict) {
  uint64_t Other = conflicting(X / 8) * 8;
  TraceBuilder T = sharedX();
  T.write(0, X).write(0, Other).write(0, X);
  Analysed R(T);
  EXPECT_EQ(R.fired(Rule::CacheHit), 0u);
  EXPECT_EQ(R.fired(Rule::CacheConflict), 2u);
}

//===-- Random traces ----------------------------------------------------------------===//

TEST(LocksetDifferential, RandomOperations) {
  unsigned Racy = 0, Clean = 0;
  uint64_t Fired[NumRules] = {};
  for (uint64_t Seed = 0; Seed < 10000; ++Seed) {
    Analysed R(RandomLockTrace(Seed).trace());
    ASSERT_FALSE(HasFailure()) << "seed " << Seed;
    ++(R.raced() ? Racy : Clean);
    for (unsigned I = 0; I < NumRules; ++I)
      Fired[I] += R.fired(Rule(I));
  }
  EXPECT_GT(Racy, 1000u);
  EXPECT_GT(Clean, 500u);
  for (unsigned I = 0; I < NumRules; ++I)
    EXPECT_GT(Fired[I], 100u) << RuleNames[I];
}

TEST(LocksetDifferential, RandomPrograms) {
  unsigned Racy = 0, Clean = 0;
  for (uint64_t Seed = 0; Seed < 5000; ++Seed) {
    Analysed R(generate(randomSmallOptions(Seed)));
    ASSERT_FALSE(HasFailure()) << "seed " << Seed;
    ++(R.raced() ? Racy : Clean);
  }
  EXPECT_GT(Racy, 500u);
  EXPECT_GT(Clean, 500u);
}

} // namespace
