//===- placement_verifier_test.cpp - The theory of check placement, case by case --===//

#include "trace/placement_verifier.h"

#include <gtest/gtest.h>

using namespace photofinish;

namespace {

/// Events of thread 0, in order.
class Story {
public:
  Story &read(uint64_t Address = 8, uint64_t Size = 4) { return access(Address, Size, false); }
  Story &write(uint64_t Address = 8, uint64_t Size = 4) { return access(Address, Size, true); }
  Story &checkRead(uint64_t Address = 8, uint64_t Size = 4) {
    V.check(memory(Address, Size), false);
    return *this;
  }
  Story &checkWrite(uint64_t Address = 8, uint64_t Size = 4) {
    V.check(memory(Address, Size), true);
    return *this;
  }
  Story &does(OpKind Kind, uint64_t Target = 0, uint64_t Size = 0) {
    Operation Op = memory(Target, Size);
    Op.Kind = Kind;
    V.synchronize(Op);
    return *this;
  }
  Story &acquire() { return does(OpKind::Acquire); }
  Story &release() { return does(OpKind::Release); }

  /// How many bytes are not covered, and how many are checked without a reason.
  std::pair<unsigned, unsigned> verdict() {
    V.finish();
    std::pair<unsigned, unsigned> Found;
    for (const PlacementVerifier::Violation &Each : V.violations())
      ++(Each.IsCheck ? Found.second : Found.first);
    return Found;
  }

private:
  Story &access(uint64_t Address, uint64_t Size, bool IsWrite) {
    V.access(memory(Address, Size), IsWrite);
    return *this;
  }
  static Operation memory(uint64_t Address, uint64_t Size) {
    Operation Op;
    Op.Target = Address;
    Op.Size = Size;
    return Op;
  }

  PlacementVerifier V;
};

using Verdict = std::pair<unsigned, unsigned>;
constexpr Verdict Fine = {0, 0};

TEST(PlacementVerifier, ACheckBesideItsAccess) {
  EXPECT_EQ(Story().checkRead().read().verdict(), Fine);
  EXPECT_EQ(Story().read().checkRead().verdict(), Fine);
  EXPECT_EQ(Story().checkWrite().write().verdict(), Fine);
}

TEST(PlacementVerifier, NoCheckAtAll) {
  EXPECT_EQ(Story().read().verdict(), Verdict(4, 0));
  EXPECT_EQ(Story().checkRead().verdict(), Verdict(0, 4));
}

// A check that comes before covers across an acquire, but is not legitimate across one.
TEST(PlacementVerifier, CheckBeforeAcquire) {
  EXPECT_EQ(Story().read().checkRead().acquire().read().verdict(), Fine);
  EXPECT_EQ(Story().checkRead().acquire().read().verdict(), Verdict(0, 4));
}

// One that comes before a release covers nothing behind it, but may be legitimate for it.
TEST(PlacementVerifier, CheckBeforeRelease) {
  EXPECT_EQ(Story().read().checkRead().release().read().verdict(), Verdict(4, 0));
  EXPECT_EQ(Story().checkRead().release().read().checkRead().verdict(), Fine);
}

// One that comes behind an acquire covers nothing before it.
TEST(PlacementVerifier, CheckBehindAcquire) {
  EXPECT_EQ(Story().read().acquire().checkRead().verdict(), Verdict(4, 0));
  EXPECT_EQ(Story().read().acquire().read().checkRead().verdict(), Verdict(4, 0));
}

// One that comes behind a release covers what is before it, if there is a reason for it.
TEST(PlacementVerifier, CheckBehindRelease) {
  EXPECT_EQ(Story().read().release().checkRead().verdict(), Verdict(0, 4));
  EXPECT_EQ(Story().read().release().read().checkRead().verdict(), Fine);
}

// Figure 3 of bigfoot.txt.
TEST(PlacementVerifier, OneCheckForThreeAccesses) {
  EXPECT_EQ(
      Story().acquire().read().release().read().checkRead().acquire().read().release().verdict(),
      Fine);
}

TEST(PlacementVerifier, AWriteNeedsTheCheckOfAWrite) {
  EXPECT_EQ(Story().write().checkRead().verdict(), Verdict(4, 0));
  EXPECT_EQ(Story().read().checkWrite().verdict(), Verdict(0, 4));
  EXPECT_EQ(Story().read().write().checkWrite().verdict(), Fine);
}

TEST(PlacementVerifier, EveryByteCounts) {
  EXPECT_EQ(Story().write(8, 8).checkWrite(8, 6).verdict(), Verdict(2, 0));
  EXPECT_EQ(Story().write(8, 4).checkWrite(8, 8).verdict(), Verdict(0, 4));
  EXPECT_EQ(Story().write(8, 4).write(12, 4).checkWrite(8, 8).verdict(), Fine);
}

// Freed memory is nobody's: what is still open there stays so, and what comes after has nothing to
// do with it.
TEST(PlacementVerifier, FreedMemory) {
  EXPECT_EQ(Story().write().does(OpKind::Free, 8, 4).checkWrite().verdict(), Verdict(4, 4));
  EXPECT_EQ(Story().write().checkWrite().does(OpKind::Free, 8, 4).verdict(), Fine);
  EXPECT_EQ(Story().checkWrite().write().does(OpKind::Free, 8, 4).write().verdict(), Verdict(4, 0));
}

TEST(PlacementVerifier, WhatAcquiresAndReleases) {
  for (OpKind Kind :
       {OpKind::Acquire, OpKind::ReadLock, OpKind::Join, OpKind::Wake, OpKind::Depart})
    EXPECT_EQ(Story().read().does(Kind).checkRead().verdict(), Verdict(4, 0)) << opInfo(Kind).Name;
  for (OpKind Kind :
       {OpKind::Release, OpKind::ReadUnlock, OpKind::Fork, OpKind::Wait, OpKind::Arrive})
    EXPECT_EQ(Story().read().does(Kind).checkRead().verdict(), Verdict(0, 4)) << opInfo(Kind).Name;
  EXPECT_EQ(Story().read().does(OpKind::Notify).checkRead().verdict(), Fine);
}

} // namespace
