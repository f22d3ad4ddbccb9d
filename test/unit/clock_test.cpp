//===- clock_test.cpp - Epochs, clocks, access clocks, arrays -----------------===//

#include "detector/cell.h"
#include "detector/clock.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace photofinish;

namespace {

TEST(Epoch, KeepsThreadAndClockApart) {
  Epoch E(Epoch::MaxThread, Epoch::MaxClock);
  EXPECT_EQ(E.thread(), Epoch::MaxThread);
  EXPECT_EQ(E.clock(), Epoch::MaxClock);
  EXPECT_FALSE(E.isShared());
  EXPECT_TRUE(Epoch::shared().isShared());
  EXPECT_EQ(Epoch(3, 4).advance(), Epoch(3, 5));
}

TEST(EpochDeathTest, ExhaustedClockIsSaid) {
  EXPECT_EXIT((void)Epoch(3, Epoch::MaxClock).advance(), testing::ExitedWithCode(2),
              "its clock is exhausted");
}

TEST(HostDeathTest, TooMuchShadowIsSaid) {
  EXPECT_EXIT((void)host::allocate(size_t(1) << 50), testing::ExitedWithCode(2),
              "more memory than this machine can keep shadow state for");
}

/// What is in use goes down again, or a long analysis would be refused in the end.
TEST(Host, ReleasedMemoryIsNotCounted) {
  constexpr size_t Gigabyte = size_t(1) << 30; // never touched
  for (int I = 0; I < 1000; ++I) {
    host::release(host::allocate(Gigabyte), Gigabyte);
    host::release(nullptr, 16);
  }
}

TEST(Clock, StartsAtBottomForEveryThread) {
  Clock V;
  EXPECT_EQ(V.get(7), 0u);
  EXPECT_TRUE(V.isBottom());
  EXPECT_TRUE(V.covers(Epoch(7, 0)));
  EXPECT_FALSE(V.covers(Epoch(7, 1)));
}

/// Joins, comparisons and copies against the pointwise definition.
TEST(Clock, IsThePointwiseOrder) {
  std::mt19937 Random(1);
  auto Make = [&](std::vector<uint64_t> &Values) {
    Clock V;
    Values.assign(6, 0);
    for (uint32_t T = 0; T < 6; ++T)
      if (Random() % 2)
        V.set(T, Values[T] = Random() % 3);
    return V;
  };
  for (int Round = 0; Round < 2000; ++Round) {
    std::vector<uint64_t> A, B;
    Clock VA = Make(A), VB = Make(B);
    bool Before = true;
    for (uint32_t T = 0; T < 6; ++T) {
      Before &= A[T] <= B[T];
      EXPECT_EQ(VB.covers(Epoch(T, A[T])), A[T] <= B[T]);
    }
    EXPECT_EQ(VA.isBefore(VB), Before);
    Clock Joined;
    Joined.assign(VA);
    Joined.join(VB);
    for (uint32_t T = 0; T < 8; ++T)
      EXPECT_EQ(Joined.get(T), T < 6 ? std::max(A[T], B[T]) : 0);
    EXPECT_TRUE(VA.isBefore(Joined) && VB.isBefore(Joined));
  }
}

TEST(Clock, AssignForgetsWhatWasThere) {
  Clock A, B;
  A.set(5, 9);
  B.set(1, 2);
  A.assign(B);
  EXPECT_EQ(A.get(5), 0u);
  EXPECT_EQ(A.get(1), 2u);
}

TEST(AccessClock, KeepsLastAccessAndNotePerThread) {
  AccessClock V;
  EXPECT_TRUE(V.isBottom());
  V.set(Epoch(0, 1), 10);
  V.set(Epoch(40, 7), 11); // grows
  V.set(Epoch(0, 2), 12);
  EXPECT_EQ(V.get(0), 2u);
  EXPECT_EQ(V.get(40), 7u);
  EXPECT_EQ(V.get(39), 0u);
  EXPECT_EQ(V.get(4000), 0u);
  std::vector<std::pair<uint64_t, Note>> Seen;
  V.forEach([&](Epoch E, Note N) { Seen.push_back({E.bits(), N}); });
  EXPECT_EQ(Seen, (std::vector<std::pair<uint64_t, Note>>{{Epoch(0, 2).bits(), 12},
                                                          {Epoch(40, 7).bits(), 11}}));
}

TEST(AccessClock, EqualityIgnoresCapacity) {
  AccessClock A, B;
  A.set(Epoch(1, 5), 1);
  B.set(Epoch(60, 1), 2);
  EXPECT_FALSE(A == B);
  B.clear();
  EXPECT_FALSE(A == B);
  B.copyFrom(A);
  EXPECT_TRUE(A == B);
  B.set(Epoch(1, 5), 9); // another note: a report could tell them apart
  EXPECT_FALSE(A == B);
}

TEST(Cell, CopyIsIndependent) {
  Cell A, B;
  A.assertOwned();
  B.assertOwned();
  A.setWrite(Epoch(1, 1), 3);
  A.setRead(Epoch(1, 2), 4);
  A.share(Epoch(2, 9), 5);
  B.copyFrom(A);
  EXPECT_TRUE(A.sameHistory(B));
  B.setSharedRead(Epoch(3, 1), 6);
  EXPECT_FALSE(A.sameHistory(B));
  EXPECT_EQ(A.lastReadOf(3), 0u);
  B.reset();
  EXPECT_TRUE(B.isUntouched());
  EXPECT_EQ(B.lastReadOf(2), 0u);
}

} // namespace
