//===- class_page_test.cpp - Footprints and classes against single bytes ------===//
//
// A page of classes, with small limits, beside a page where every byte has a granule of its own:
// both must find the same races, on every byte, between the same places.
//
//===----------------------------------------------------------------------===//

#include "shadow/class_page.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <tuple>

using namespace photofinish;

namespace {

TEST(Line, BytesAreRunsAndGranules) {
  EXPECT_EQ(bytesOf(0, 64), ~uint64_t(0));
  EXPECT_EQ(bytesOf(63, 1), UINT64_C(1) << 63);
  using Pairs = std::set<std::pair<unsigned, unsigned>>;
  Pairs Runs, Granules;
  ByteMask Some = UINT64_C(0xf00000000000001d);
  forEachRun(Some, [&](unsigned First, unsigned Count) { Runs.insert({First, Count}); });
  EXPECT_EQ(Runs, (Pairs{{0, 1}, {2, 3}, {60, 4}}));
  forEachGranuleOf(Some, [&](unsigned Granule, uint8_t Mask) { Granules.insert({Granule, Mask}); });
  EXPECT_EQ(Granules, (Pairs{{0, 0x1d}, {7, 0xf0}}));
  Pairs Lines;
  forEachLine(62, 67, [&](uint64_t At, ByteMask Bytes) {
    Lines.insert({unsigned(At), unsigned(std::popcount(Bytes))});
  });
  EXPECT_EQ(Lines, (Pairs{{0, 2}, {64, 64}, {128, 1}}));
}

TEST(Lanes, AreBytes) {
  std::mt19937 Random(7);
  for (int Round = 0; Round < 200; ++Round) {
    uint8_t A[Lanes::Count], B[Lanes::Count], Result[Lanes::Count];
    for (unsigned I = 0; I < Lanes::Count; ++I) {
      A[I] = uint8_t(Random() % 4 * 85);
      B[I] = uint8_t(Random() % 4 * 85);
    }
    Lanes X = Lanes::load(A), Y = Lanes::load(B);
    uint8_t Byte = A[Random() % Lanes::Count];
    Lanes Equal = X == Byte;
    (X | Y).with(3, Equal | Lanes::only(5)).store(Result);
    for (unsigned I = 0; I < Lanes::Count; ++I) {
      EXPECT_EQ(Equal.bits() >> I & 1, A[I] == Byte);
      EXPECT_EQ((Equal & (Y == 85)).bits() >> I & 1, A[I] == Byte && B[I] == 85);
      EXPECT_EQ((~Equal).bits() >> I & 1, A[I] != Byte);
      EXPECT_EQ(X.equals(Y).bits() >> I & 1, A[I] == B[I]);
      EXPECT_EQ(Result[I], A[I] == Byte || I == 5 ? 3 : A[I] | B[I]);
    }
  }
}

// byte, first epoch, its note and kind, second note and kind
using Races = std::set<std::tuple<uint64_t, uint64_t, Note, AccessKind, Note, AccessKind>>;

template <class Page> class Beside {
public:
  using Footprint = typename Page::Footprint;
  static constexpr uint64_t Size = Page::PageBytes;

  Beside() : Bytes(new Granule[Size]) {}

  void commit(ThreadState &T, Footprint &F, const Window &W, Transitions &Memo) {
    Races Seen, Expected;
    // Another page with the same history comes first: what its cells become, P's do, too.
    Twin.commit(T, F, W, Memo, Counts, [](auto &&...) {});
    P.commit(T, F, W, Memo, Counts,
             [&](uint64_t Offset, uint64_t Count, Epoch First, Note N, AccessKind Kind, Note Second,
                 AccessKind SecondKind) {
               for (uint64_t At = Offset; At < Offset + Count; ++At)
                 Seen.insert({At, First.bits(), N, Kind, Second, SecondKind});
             });
    for (bool IsWrite : {false, true})
      for (uint64_t At = W.First; At < W.First + W.Count; ++At)
        if (auto Line = unsigned(At / LineBytes); F.bytes(Line, IsWrite) >> At % LineBytes & 1)
          F.notes(IsWrite).forEachNote(Line, ByteMask(1) << At % LineBytes, [&](ByteMask, Note N) {
            checkByte(T, At, IsWrite ? AccessKind::Write : AccessKind::Read, N, Expected);
          });
    EXPECT_EQ(Seen, Expected);
    EXPECT_TRUE(P.verify());
    NumRaces += Seen.size();
    if (W.Count == Size)
      F.clear();
    else
      F.clear(W);
  }
  void atomic(ThreadState &T, uint64_t Granules, unsigned Mask, AccessKind Kind, Note N) {
    Races Seen, Expected;
    Twin.accessAtomically(
        T, Granules * 8, uint8_t(Mask), Kind, [&] { return N; }, [](auto &&...) {});
    P.accessAtomically(
        T, Granules * 8, uint8_t(Mask), Kind, [&] { return N; },
        [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
          for (unsigned B = 0; B < 8; ++B)
            if (Raced >> B & 1)
              Seen.insert({Granules * 8 + B, First.bits(), FirstNote, FirstKind, N, Kind});
        });
    for (unsigned B = 0; B < 8; ++B)
      if (Mask >> B & 1)
        checkByte(T, Granules * 8 + B, Kind, N, Expected);
    EXPECT_EQ(Seen, Expected);
    EXPECT_TRUE(P.verify());
  }
  void reset(uint64_t First, uint64_t Count) {
    Twin.reset(First, Count);
    P.reset(First, Count);
    for (uint64_t At = First; At < First + Count; ++At)
      Bytes[At].forget(1);
    EXPECT_TRUE(P.verify());
  }

  Page P, Twin;
  CommitCounts Counts;
  uint64_t NumRaces = 0;

private:
  void checkByte(ThreadState &T, uint64_t At, AccessKind Kind, Note N, Races &Found) {
    checkGranule(
        T, Bytes[At], 1, Kind, [&] { return N; },
        [&](uint8_t, Epoch First, Note FirstNote, AccessKind FirstKind) {
          Found.insert({At, First.bits(), FirstNote, FirstKind, N, Kind});
        });
  }

  std::unique_ptr<Granule[]> Bytes;
};

/// Sweeps, blocks, strides, single fields and noise, of several threads that now and then meet.
template <class Page> CommitCounts compare(unsigned Seed, int Rounds, unsigned AtomicsOf20) {
  std::mt19937 Random(Seed);
  auto below = [&](uint64_t N) { return uint64_t(Random() % N); };
  CommitCounts All;
  uint64_t NumRaces = 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    ThreadState Threads[] = {ThreadState(0), ThreadState(1), ThreadState(2)};
    Beside<Page> Both;
    constexpr uint64_t Size = Beside<Page>::Size;
    typename Page::Footprint F;
    for (int Step = 0; Step < 60; ++Step) {
      ThreadState &T = Threads[below(3)];
      bool AllMeet = below(4) == 0; // so that pages become simple again
      if (AllMeet)
        for (ThreadState &From : Threads)
          for (ThreadState &To : Threads)
            To.learn(From.clock());
      if (below(3) || AllMeet)
        T.advance();
      if (below(20) < AtomicsOf20)
        Both.atomic(T, below(Size / 8), unsigned(below(255)) + 1,
                    below(2) ? AccessKind::AtomicRead : AccessKind::AtomicWrite, Note(Step + 1));
      if (below(10) == 0) {
        uint64_t First = below(Size), Count = below(Size - First) + 1;
        Both.reset(First, Count);
      }
      Transitions Memo;
      for (uint64_t Part = below(3) + 1; Part--;) {
        bool IsWrite = below(2);
        Note N = Note(below(3) * 100 + 1);
        uint64_t Grain = uint64_t(1) << (below(8) ? 3 : below(4));
        uint64_t Stride = Grain * (below(3) + 1), First = below(Size / Grain) * Grain;
        uint64_t Count = below(3) ? Size : below(4) + 1;
        if (below(4) == 0)
          First = 0;
        for (uint64_t At = First; At < Size && Count; At += Stride, --Count)
          F.add(unsigned(At / LineBytes), bytesOf(unsigned(At % LineBytes), unsigned(Grain)),
                IsWrite, N);
      }
      // A part of it first, sometimes.
      for (uint64_t Some = below(3); Some; --Some) {
        uint64_t First = below(Size), Count = below(4) ? below(24) + 1 : Size;
        Both.commit(T, F, {First, std::min(Count, Size - First)}, Memo);
      }
      Both.commit(T, F, {0, Size}, Memo);
      EXPECT_TRUE(F.isEmpty());
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << Seed << ", round " << Round << ", step " << Step;
        return All;
      }
    }
    All += Both.Counts;
    NumRaces += Both.NumRaces;
  }
  EXPECT_GT(NumRaces, 1000u);
  return All;
}

TEST(ClassPage, IsItsBytes) {
  CommitCounts Counts = compare<ClassPage<4, 4>>(1, 1500, 2);
  EXPECT_GT(Counts.Splits, 1000u);
  EXPECT_GT(Counts.Merges, 1000u);
  EXPECT_GT(Counts.SharedTransitions, 100u);
  EXPECT_GT(Counts.ToFine, 100u);
  EXPECT_GT(Counts.ToClasses, 100u);
}

TEST(ClassPage, IsItsBytesWithoutAtomics) {
  CommitCounts Counts = compare<ClassPage<8>>(2, 300, 0);
  EXPECT_GT(Counts.Merges, 100u);
  EXPECT_EQ(Counts.ToFine, 0u);
}

TEST(ClassPage, IsItsBytesAtFullSize) { compare<ClassPage<64>>(3, 6, 1); }

/// Two sites that sweep a page together leave one class, and reports still tell them apart.
TEST(ClassPage, SitesDoNotSplitClasses) {
  ClassPage<64> P;
  CommitCounts Counts;
  ThreadState A(0), B(1);
  ClassPage<64>::Footprint F;
  Transitions Memo, OtherMemo;
  for (unsigned At = 0; At < 4096; At += 8)
    F.add(At / 64, bytesOf(At % 64, 8), true, At % 16 ? 7 : 8);
  auto NoRace = [](auto &&...) { FAIL() << "a race"; };
  P.commit(A, F, {0, 4096}, Memo, Counts, NoRace);
  EXPECT_EQ(P.numClasses(), 1u);
  F.clear();
  F.add(0, bytesOf(8, 16), false, 9);
  std::set<std::pair<uint64_t, Note>> Found;
  P.commit(
      B, F, {0, 4096}, OtherMemo, Counts,
      [&](uint64_t Offset, uint64_t Bytes, Epoch, Note First, AccessKind, Note Second, AccessKind) {
        EXPECT_EQ(Bytes, 8u);
        EXPECT_EQ(Second, 9u);
        Found.insert({Offset, First});
      });
  EXPECT_EQ(Found, (std::set<std::pair<uint64_t, Note>>{{8, 7}, {16, 8}}));
}

/// What no class mentions any more is forgotten.
TEST(ClassPage, RecordsAreBounded) {
  ClassPage<64> P;
  CommitCounts Counts;
  ThreadState T(0);
  for (int I = 0; I < 1000; ++I) {
    ClassPage<64>::Footprint F;
    Transitions Memo;
    for (unsigned L = 0; L < 64; ++L)
      F.add(L, ~ByteMask(0), I % 2, Note(I));
    P.commit(T, F, {0, 4096}, Memo, Counts, [](auto &&...) { FAIL() << "a race"; });
    T.advance();
    ASSERT_EQ(P.numClasses(), 1u);
    ASSERT_LE(P.numRecords(), 12u);
  }
}

} // namespace
