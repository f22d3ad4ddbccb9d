//===- verifiedft_stress_test.cpp - v1, v1.5 and v2 from many threads at once ---===//
//
// Real threads call the handlers on shared cells, with real locks where the program they
// play has locks. The verdict never depends on the schedule: it is known beforehand from
// what the threads do. Built with ThreadSanitizer as well, where it must be silent: the
// discipline of detector/cell.h is all that keeps these handlers apart.
//
//===----------------------------------------------------------------------===//

#include "detector/sync.h"
#include "detector/verifiedft.h"
#include "workers.h"

#include "gtest/gtest.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

using namespace photofinish;

namespace {

template <class Version> class VerifiedFTStress : public testing::Test {};
using AllVersions =
    testing::Types<VerifiedFT<VerifiedFTVersion::V1>, VerifiedFT<VerifiedFTVersion::V1_5>,
                   VerifiedFT<VerifiedFTVersion::V2>>;
TYPED_TEST_SUITE(VerifiedFTStress, AllVersions);

/// Every object is guarded by its own lock; objects are read, written and handed around.
TYPED_TEST(VerifiedFTStress, LockedObjectsDoNotRace) {
  constexpr unsigned Objects = 4, Fields = 8, Rounds = 4000;
  struct Object {
    std::mutex Guard;
    LockState Lock;
    LockedCell Field[Fields];
  };
  std::vector<Object> Shared(Objects);
  std::atomic<unsigned> Races{0};
  auto OnRace = [&](Epoch, Note, AccessKind) { ++Races; };
  Workers W(8);
  W.run([&](ThreadState &T) {
    std::mt19937 Random(T.id());
    for (unsigned I = 0; I < Rounds; ++I) {
      Object &O = Shared[Random() % Objects];
      std::lock_guard Guard(O.Guard);
      rule::acquire(T, O.Lock);
      for (LockedCell &X : O.Field)
        if (Random() % 3)
          TypeParam::read(T, X, I, OnRace);
        else
          TypeParam::write(T, X, I, OnRace);
      rule::release(T, O.Lock);
    }
  });
  W.joinAll();
  for (Object &O : Shared)
    for (LockedCell &X : O.Field)
      TypeParam::write(W.main(), X, 0, OnRace);
  EXPECT_EQ(Races, 0u);
}

/// Nothing orders the workers. Each has drawn beforehand which cells it reads and which
/// it writes; a cell must be reported exactly if two threads touch it and one writes.
TYPED_TEST(VerifiedFTStress, UnorderedAccessesRaceExactlyWhereTheyConflict) {
  constexpr unsigned Threads = 6, Cells = 64, Rounds = 150;
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    std::mt19937 Random(Round);
    std::vector<std::vector<unsigned>> Plan(Threads, std::vector<unsigned>(Cells)); // bits: r, w
    for (auto &Row : Plan)
      for (unsigned &P : Row)
        P = Random() % 8 < 5 ? 0 : Random() % 3 + 1;
    std::vector<LockedCell> Shared(Cells);
    std::vector<std::atomic<unsigned>> Raced(Cells);
    std::atomic<unsigned> WithItself{0};
    Workers W(Threads);
    W.run([&](ThreadState &T) {
      for (unsigned Repeat = 0; Repeat < 3; ++Repeat)
        for (unsigned C = 0; C < Cells; ++C) {
          auto OnRace = [&](Epoch First, Note, AccessKind) {
            ++Raced[C];
            WithItself += First.thread() == T.id();
          };
          unsigned P = Plan[T.id() - 1][C];
          if (P & 1)
            TypeParam::read(T, Shared[C], 1, OnRace);
          if (P & 2)
            TypeParam::write(T, Shared[C], 2, OnRace);
        }
    });
    for (unsigned C = 0; C < Cells; ++C) {
      unsigned Touching = 0, Writing = 0;
      for (auto &Row : Plan) {
        Touching += Row[C] != 0;
        Writing += (Row[C] & 2) != 0;
      }
      EXPECT_EQ(Raced[C] != 0, Touching > 1 && Writing > 0) << "round " << Round << " cell " << C;
    }
    EXPECT_EQ(WithItself, 0u);
  }
}

/// Many readers of the same cells, while the clock of the readers keeps growing under
/// those that look themselves up without the lock.
TYPED_TEST(VerifiedFTStress, SharedReadsSurviveGrowth) {
  constexpr unsigned Threads = 24, Cells = 16, Rounds = 300;
  std::vector<LockedCell> Shared(Cells);
  std::atomic<unsigned> Races{0};
  auto OnRace = [&](Epoch, Note, AccessKind) { ++Races; };
  Workers W(Threads);
  LockState Private[Threads + 1];
  W.run([&](ThreadState &T) {
    for (unsigned Round = 0; Round < Rounds; ++Round) {
      for (LockedCell &X : Shared)
        for (unsigned Repeat = 0; Repeat < 3; ++Repeat)
          TypeParam::read(T, X, T.id(), OnRace);
      rule::release(T, Private[T.id()]); // a new epoch
    }
  });
  // All but the last worker joined: exactly its reads race with the write.
  for (unsigned I = 0; I + 1 < W.size(); ++I)
    rule::join(W.main(), W.state(I));
  EXPECT_EQ(Races, 0u);
  for (LockedCell &X : Shared) {
    for (unsigned I = 0; I < W.size(); ++I)
      EXPECT_EQ(X.lastReadOf(I + 1), Rounds) << "a read was lost";
    TypeParam::write(W.main(), X, 0, [&](Epoch First, Note N, AccessKind Kind) {
      ++Races;
      EXPECT_EQ(First.thread(), Threads);
      EXPECT_EQ(N, Threads);
      EXPECT_EQ(Kind, AccessKind::Read);
    });
  }
  EXPECT_EQ(Races, Cells);
}

} // namespace
