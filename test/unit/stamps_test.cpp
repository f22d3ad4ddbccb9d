//===- stamps_test.cpp - Stamps are what they stand for ---------------------------===//
//
// Beside every stamp, and every set of reads, is what it stands for, written out. Collections give
// them new numbers; nothing else changes.
//
//===----------------------------------------------------------------------===//

#include "shadow/stamps.h"

#include "detector/offline/stampers.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace photofinish;

namespace {

struct Written {
  Stamp S;
  Epoch When;
  Note Where;
};
struct ReadBy {
  Reads R;
  std::map<uint32_t, std::pair<uint64_t, Note>> Last; // by thread: clock and note
};

class StampsTest : public testing::Test {
protected:
  void expectSame() {
    for (const Written &W : Writes) {
      EXPECT_EQ(All.epochOf(W.S), W.When);
      EXPECT_EQ(All.noteOf(W.S), W.Where);
      Epoch Latest(W.When.thread(), W.When.thread() < NumThreads ? ClockOf[W.When.thread()] : 1);
      EXPECT_EQ(All.isAt(W.S, Latest), W.When == Latest);
      EXPECT_EQ(All.isBefore(W.S, V), V.covers(W.When));
    }
    for (const ReadBy &R : Sets) {
      decltype(R.Last) Found;
      All.forEachRead(R.R, [&](Stamp S) {
        Epoch E = All.epochOf(S);
        EXPECT_TRUE(Found.insert({E.thread(), {E.clock(), All.noteOf(S)}}).second);
      });
      EXPECT_EQ(Found, R.Last);
    }
  }
  void collect() {
    By.collect([&](Stamps::Collection &C) {
      for (Written &W : Writes)
        W.S = C.keep(W.S);
      for (ReadBy &R : Sets)
        R.R = C.keepReads(R.R);
    });
  }

  static constexpr uint32_t NumThreads = 4;
  uint64_t ClockOf[NumThreads] = {1, 1, 1, 1};
  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By{All};
  Clock V;
  std::vector<Written> Writes;
  std::vector<ReadBy> Sets;
};

TEST_F(StampsTest, AreWhatTheyStandFor) {
  std::mt19937 Random(1);
  auto below = [&](uint64_t N) { return uint64_t(Random() % N); };
  for (int Step = 0; Step < 4000; ++Step) {
    auto Thread = uint32_t(below(NumThreads));
    ClockOf[Thread] += below(8) == 0;
    Epoch Now(Thread, ClockOf[Thread]);
    Note Where = below(2) ? below(5) : below(5000); // places that come again, and that collide
    Stamp S = By[Thread].stampFor(Now, Where);
    EXPECT_EQ(S, By[Thread].stampFor(Now, Where)) << "one for each place and epoch";
    if (below(4) == 0)
      V.set(Thread, below(ClockOf[Thread] + 1));
    if (Writes.size() > 30)
      Writes.erase(Writes.begin() + ptrdiff_t(below(Writes.size())));
    Writes.push_back({S, Now, Where});
    if (Sets.size() > 20)
      Sets.erase(Sets.begin() + ptrdiff_t(below(Sets.size())));
    ReadBy R = Sets.empty() || below(4) == 0 ? ReadBy{} : Sets[below(Sets.size())];
    // The reader knows its own past, and some of the others'.
    Clock Own;
    for (uint32_t Other = 0; Other < NumThreads; ++Other)
      Own.set(Other, below(3) ? 0 : below(ClockOf[Other]));
    Own.set(Thread, Now.clock());
    auto Drop = [&] {
      std::erase_if(
          R.Last, [&](const auto &Its) { return Own.covers(Epoch(Its.first, Its.second.first)); });
    };
    if (below(4)) {
      Drop();
      R.R = By[Thread].withRead(R.R, Own, S);
      R.Last[Thread] = {Now.clock(), Where};
    } else {
      Drop();
      R.R = By[Thread].uncovered(R.R, Own);
    }
    Sets.push_back(R);
    if (below(10) == 0)
      collect();
    expectSame();
    ASSERT_FALSE(HasFailure()) << "step " << Step;
  }
  EXPECT_GT(All.numCollections(), 100u);
}

/// A set may have any number of members.
TEST_F(StampsTest, SetsAreLarge) {
  constexpr uint32_t Many = 1000;
  ReadBy R = {};
  for (uint32_t Thread = 0; Thread < Many; ++Thread) {
    uint32_t Its = Thread * 7 % Many; // in no order
    R.R = By[Its].withRead(R.R, Clock(), By[Its].stampFor(Epoch(Its, 1), Its));
    R.Last[Its] = {1, Its};
    if (Its % 97 == 0)
      Sets.push_back(R);
  }
  Sets.push_back(R);
  ReadBy Again = R;
  Clock OfLast;
  OfLast.set(Many - 1, 1);
  Again.R = By[0].withRead(By[0].uncovered(R.R, OfLast), Clock(),
                           By[Many - 1].stampFor(Epoch(Many - 1, 1), Many - 1));
  EXPECT_NE(Again.R, R.R);
  EXPECT_TRUE(All.areEqual(Again.R, R.R));
  EXPECT_FALSE(All.areEqual(Sets[0].R, R.R));
  expectSame();
  collect();
  expectSame();
}

/// Reads that differ make different sets, however close their numbers are in a table.
TEST_F(StampsTest, SetsAreNotMistaken) {
  Stamp First = By[1].stampFor(Epoch(1, 1), 0);
  for (Note N = 0; N < 1000; ++N) {
    Stamp S = By[0].stampFor(Epoch(0, 1), N);
    Sets.push_back({By[0].withRead(First, Clock(), S), {{0, {1, N}}, {1, {1, 0}}}});
  }
  expectSame();
}

/// What nobody has is given out again: memory follows what is in use.
TEST_F(StampsTest, AreUsedAgain) {
  uint64_t Most = 0;
  for (uint64_t Round = 1; Round <= 4'000'000; ++Round) {
    ClockOf[0] = Round;
    Stamp S = By[0].stampFor(Epoch(0, Round), Round);
    if (Round % 1000 == 0)
      Writes.push_back({S, Epoch(0, Round), Round});
    if (Writes.size() > 100)
      Writes.erase(Writes.begin());
    if (All.wantsCollection())
      collect();
    Most = std::max(Most, All.bytes());
  }
  expectSame();
  EXPECT_GT(All.numCollections(), 10u);
  EXPECT_LT(Most, 4u << 20);
}

} // namespace
