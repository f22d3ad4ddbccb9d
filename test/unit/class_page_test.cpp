//===- class_page_test.cpp - Footprints and classes against single bytes ------===//
//
// A page of classes, with small limits, beside a page where every byte has a cell of its own:
// both must find the same races, on every byte, between the same places.
//
//===----------------------------------------------------------------------===//

#include "shadow/class_page.h"
#include "shadow/footprint.h"

#include "byte_shadow.h"
#include "detector/offline/stampers.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

using namespace photofinish;

namespace {

TEST(Line, BytesAreRuns) {
  EXPECT_EQ(bytesOf(0, 64), ~uint64_t(0));
  EXPECT_EQ(bytesOf(63, 1), UINT64_C(1) << 63);
  std::set<std::pair<unsigned, unsigned>> Runs;
  forEachRun(UINT64_C(0xf00000000000001d),
             [&](unsigned First, unsigned Count) { Runs.insert({First, Count}); });
  EXPECT_EQ(Runs, (std::set<std::pair<unsigned, unsigned>>{{0, 1}, {2, 3}, {60, 4}}));
}

/// The groups of a page's elements are these bytes.
TEST(GranuleSet, GroupsAreTheElements) {
  std::mt19937 Random(7);
  unsigned NumStrided = 0;
  for (int Round = 0; Round < 20000; ++Round) {
    auto Size = uint32_t(1 + Random() % (Random() % 2 ? 16 : 100));
    auto Stride =
        uint32_t(Random() % 3 ? Size + Random() % 40 : (Size + 7) / 8 * 8 << Random() % 3);
    uint64_t First = Random() % (4096 - Size + 1);
    auto Most = uint32_t((4096 - Size - First) / Stride + 1);
    Elements E{First, Size, Stride, uint32_t(1 + Random() % Most)};
    std::set<uint64_t> Bytes, Found;
    for (uint32_t I = 0; I < E.Count; ++I)
      for (uint32_t B = 0; B < Size; ++B)
        Bytes.insert(First + uint64_t(Stride) * I + B);
    forEachGroup<512>(E, [&](uint8_t Mask, const GranuleSet<512> &Some) {
      EXPECT_FALSE(Some.isEmpty());
      unsigned Count = 0;
      Some.forEach([&](unsigned Granule) {
        ++Count;
        for (unsigned B = 0; B < 8; ++B)
          if (Mask >> B & 1)
            EXPECT_TRUE(Found.insert(Granule * 8 + B).second);
      });
      EXPECT_EQ(Count, Some.size());
      NumStrided += Count > 8;
    });
    EXPECT_EQ(Found, Bytes);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << Round;
  }
  EXPECT_GT(NumStrided, 1000u);
}

TEST(GranuleSet, RunsAreItsElements) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 2000; ++Round) {
    GranuleSet<128> Some, Visited;
    for (unsigned I = 0; I < 2; ++I)
      Some.word(I) =
          Round % 7 ? (uint64_t(Random()) << 32 | Random()) | (uint64_t(Random()) << 32 | Random())
                    : ~uint64_t(0) << Random() % 64;
    unsigned End = 0;
    Some.forEachRun([&](unsigned First, unsigned Count) {
      ASSERT_GE(First, End);
      ASSERT_GT(Count, 0u);
      End = First + Count;
      for (unsigned I = First; I < End; ++I)
        Visited.word(I / 64) |= uint64_t(1) << I % 64;
    });
    for (unsigned I = 0; I < 2; ++I)
      EXPECT_EQ(Visited.word(I), Some.word(I));
  }
}

TEST(GranuleSet, IsASet) {
  std::mt19937 Random(8);
  for (int Round = 0; Round < 1000; ++Round) {
    GranuleSet<128> A, B;
    std::set<unsigned> InA, InB;
    for (int I = 0; I < 20; ++I) {
      unsigned X = Random() % 128, Y = Random() % 128;
      A.add(X);
      InA.insert(X);
      B.add(Y);
      InB.insert(Y);
    }
    GranuleSet<128> Both = A & B, Either = A, Rest = A;
    Either |= B;
    Rest -= B;
    for (unsigned I = 0; I < 128; ++I) {
      EXPECT_EQ(Both.contains(I), InA.contains(I) && InB.contains(I));
      EXPECT_EQ(Either.contains(I), InA.contains(I) || InB.contains(I));
      EXPECT_EQ(Rest.contains(I), InA.contains(I) && !InB.contains(I));
      EXPECT_EQ(A.next().contains(I), I && InA.contains(I - 1));
    }
    Rest |= Both;
    EXPECT_TRUE(Rest == A);
    EXPECT_EQ(Rest == B, InA == InB);
    Rest -= A;
    EXPECT_TRUE(Rest.isEmpty());
  }
}

template <class Page> class Beside {
public:
  static constexpr uint64_t Size = Page::PageBytes;

  explicit Beside(bool UsesAvx2) : UsesAvx2(UsesAvx2) { All.collectAlways(); }

  void access(ThreadState &T, const Elements &E, bool IsWrite, Note N) {
    ByteRaces Seen, Expected;
    P.access(committer(T), E, IsWrite, stampOf(T, N), UsesAvx2,
             [&](uint64_t Offset, uint64_t Length, Epoch First, Stamp S, AccessKind Kind) {
               for (uint64_t At = Offset; At < Offset + Length; ++At)
                 Seen.insert({At, First.bits(), All.noteOf(S), Kind});
             });
    for (uint32_t I = 0; I < E.Count; ++I)
      for (uint64_t Byte = 0; Byte < E.Size; ++Byte)
        Bytes.access(T, E.First + uint64_t(E.Stride) * I + Byte,
                     IsWrite ? AccessKind::Write : AccessKind::Read, N, Expected);
    expectSame(Seen, Expected);
  }
  void atomic(ThreadState &T, uint64_t Granules, unsigned Mask, AccessKind Kind, Note N) {
    ByteRaces Seen, Expected;
    P.accessAtomically(
        committer(T), Granules * 8, uint8_t(Mask), Kind, [&] { return stampOf(T, N); },
        [&](uint8_t Raced, Epoch First, Stamp S, AccessKind FirstKind) {
          for (unsigned B = 0; B < 8; ++B)
            if (Raced >> B & 1)
              Seen.insert({Granules * 8 + B, First.bits(), All.noteOf(S), FirstKind});
        });
    for (unsigned B = 0; B < 8; ++B)
      if (Mask >> B & 1)
        Bytes.access(T, Granules * 8 + B, Kind, N, Expected);
    expectSame(Seen, Expected);
  }
  void reset(uint64_t First, uint64_t Length) {
    P.reset(First, Length, By[0]);
    for (uint64_t At = First; At < First + Length; ++At)
      Bytes.forget(At);
    EXPECT_TRUE(P.verify(All));
  }
  void collect() {
    By.collect([&](Stamps::Collection &C) { P.keep(C, All); });
  }

  Page P;
  CommitCounts Count;
  uint64_t NumRaces = 0;

private:
  Committer committer(ThreadState &T) { return {T, By[T.id()], Count}; }
  Stamp stampOf(const ThreadState &T, Note N) { return By[T.id()].stampFor(T.now(), N); }

  void expectSame(const ByteRaces &Seen, const ByteRaces &Expected) {
    EXPECT_EQ(Seen, Expected);
    EXPECT_TRUE(P.verify(All));
    NumRaces += Seen.size();
    for (unsigned Line = 0; Line < Size / LineBytes; ++Line) {
      ByteMask Touched = 0;
      for (unsigned Byte = 0; Byte < LineBytes; ++Byte)
        Touched |= ByteMask(Bytes.isTouched(Line * LineBytes + Byte)) << Byte;
      EXPECT_EQ(P.touched(Line, All), Touched);
    }
  }

  const bool UsesAvx2;
  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By{All};
  ByteShadow Bytes{Size};
};

/// Sweeps, blocks, strides, single fields and noise, of several threads that now and then meet.
template <class Page>
CommitCounts compare(unsigned Seed, int Rounds, unsigned AtomicsOf20, bool UsesAvx2 = false) {
  std::mt19937 Random(Seed);
  auto below = [&](uint64_t N) { return uint64_t(Random() % N); };
  CommitCounts All;
  uint64_t NumRaces = 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    ThreadState Threads[] = {ThreadState(0), ThreadState(1), ThreadState(2)};
    Beside<Page> Both(UsesAvx2);
    constexpr uint64_t Size = Beside<Page>::Size;
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
      for (uint64_t Part = below(3) + 1; Part--;) {
        auto Grain = uint32_t(1) << (below(8) ? 3 : below(6));
        uint32_t Stride = Grain * uint32_t(below(3) + 1) + (below(8) ? 0 : uint32_t(below(5)));
        uint64_t First = below(4) ? below(Size / Grain) * Grain : below(Size - Grain + 1);
        if (below(4) == 0)
          First = 0;
        auto Most = uint32_t((Size - Grain - First) / Stride + 1);
        uint32_t Count = below(3) ? Most : uint32_t(below(std::min(Most, 4u))) + 1;
        Both.access(T, {First, Grain, Stride, Count}, below(2), Note(below(3) * 100 + 1));
      }
      if (below(2))
        Both.collect();
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << Seed << ", round " << Round << ", step " << Step;
        return All;
      }
    }
    All += Both.Count;
    NumRaces += Both.NumRaces;
  }
  EXPECT_GT(NumRaces, 1000u);
  return All;
}

TEST(ClassPage, IsItsBytes) {
  CommitCounts Counts = compare<ClassPage<4, 4>>(1, 1500, 2);
  EXPECT_GT(Counts.Splits, 1000u);
  EXPECT_GT(Counts.Merges, 1000u);
  EXPECT_GT(Counts.Transitions, 1000u);
}

TEST(ClassPage, IsItsBytesWithoutAtomics) { compare<ClassPage<8>>(2, 300, 0); }

TEST(ClassPage, IsItsBytesAtFullSize) { compare<ClassPage<64>>(3, 6, 1); }

TEST(ClassPage, IsItsBytesWithAvx2) {
  if (!hasAvx2())
    GTEST_SKIP() << "this processor has no AVX2";
  compare<ClassPage<64>>(4, 6, 1, true);
  compare<ClassPage<8>>(5, 300, 1, true);
}

void expectNoRace(uint64_t, uint64_t, Epoch, Stamp, AccessKind) { FAIL() << "a race"; }

/// Memory that is read together stays together, however often it is read, and there is one set of
/// readers for all of it.
TEST(ClassPage, ReadersAreOneSet) {
  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By(All);
  CommitCounts Count;
  ClassPage<64> Pages[8];
  ThreadState A(0), B(1);
  for (int Round = 0; Round < 10; ++Round)
    for (ThreadState *T : {&A, &B}) {
      Committer Who{*T, By[T->id()], Count};
      for (auto &P : Pages) {
        P.access(Who, {0, 8, 16, 256}, false, Who.By.stampFor(T->now(), 1), false, expectNoRace);
        P.access(Who, {8, 8, 16, 256}, false, Who.By.stampFor(T->now(), 2), false, expectNoRace);
        EXPECT_EQ(P.numClasses(), 2u);
      }
      T->advance();
      By.collect([&](Stamps::Collection &C) {
        for (auto &P : Pages)
          P.keep(C, All);
      });
      EXPECT_EQ(All.numSets(), Round || T == &B ? 2u : 0u);
    }
}

/// A run of one place grows up, down, and by its stride, and is what was added.
TEST(Elements, AreWhatWasAdded) {
  std::mt19937 Random(5);
  unsigned Longest = 0;
  for (int Round = 0; Round < 2000; ++Round) {
    auto Size = uint32_t(1) << Random() % 5;
    int64_t Stride = int64_t(Size) * (1 + Random() % 3) * (Random() % 2 ? 1 : -1);
    uint64_t At = 100'000 + Random() % 5000;
    std::set<uint64_t> Bytes, Found;
    Elements E = Elements::range(At, Size);
    bool Goes = true;
    while (Goes) {
      for (uint64_t B = At; B < At + Size; ++B)
        Bytes.insert(B);
      if (Random() % 20 == 0)
        Stride += int64_t(Size) * (Random() % 2 ? 1 : -1);
      At += uint64_t(Stride);
      Goes = !Bytes.contains(At) && !Bytes.contains(At + Size - 1) && E.extend(At, Size);
    }
    E.forEachPage<256>([&](uint64_t Number, const Elements &Here) {
      for (uint32_t I = 0; I < Here.Count; ++I)
        for (uint64_t B = 0; B < Here.Size; ++B) {
          uint64_t Offset = Here.First + uint64_t(Here.Stride) * I + B;
          EXPECT_LT(Offset, 256u);
          EXPECT_TRUE(Found.insert(Number * 256 + Offset).second);
        }
    });
    EXPECT_EQ(Found, Bytes);
    Longest = std::max(Longest, E.Count);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << Round;
  }
  EXPECT_GT(Longest, 10u);
}

/// What is touched is touched, and pending if it is new; until its entry or its epoch goes.
TEST(Footprints, KnowWhatIsNew) {
  struct Place {
    unsigned Number;
    bool operator==(const Place &) const = default;
    uint64_t hash() const { return Number; }
  };
  std::mt19937 Random(6);
  auto below = [&](uint64_t N) { return uint64_t(Random() % N); };
  uint64_t NumKnown = 0, NumEvicted = 0, NumCovered = 0, NumScattered = 0;
  for (int Round = 0; Round < 200; ++Round) {
    Footprints<PageFootprint<4>, 2, ~uint64_t(0)> F;
    PendingAccesses<PageFootprint<4>, Place, 4, 4> Pending;
    std::set<std::tuple<uint64_t, bool>> Committed, Added;
    std::set<uint64_t> Written; // and perhaps still known to be
    auto Commit = [&] {
      Pending.forEach(
          [&](const auto &R) {
            R.E.template forEachPage<256>([&](uint64_t Number, const Elements &E) {
              for (uint32_t I = 0; I < E.Count; ++I)
                for (uint64_t B = 0; B < E.Size; ++B)
                  Committed.insert(
                      {Number * 256 + E.First + uint64_t(E.Stride) * I + B, R.IsWrite});
            });
          },
          [&](const auto &Some) {
            Some.All.forEach([&](unsigned Granule) {
              ++NumScattered;
              for (uint64_t B = 0; B < 8; ++B)
                Committed.insert({Some.Number * 256 + Granule * 8 + B, Some.IsWrite});
            });
          });
      Pending.clear();
    };
    for (int Step = 0; Step < 100; ++Step) {
      uint64_t Address = below(1000), Bytes = below(20) ? uint64_t(1) << below(5) : below(1200) + 1;
      bool IsWrite = below(2);
      F.add(
          Address, Bytes, IsWrite,
          [&](PageFootprint<4> &Page, const auto &E) {
            if (Pending.isFull())
              Commit();
            Pending.add(Page, E, IsWrite, {unsigned(below(3))});
          },
          [&](const PageFootprint<4> &Page) {
            ++NumEvicted;
            if (Pending.isPending(Page))
              Commit();
          });
      for (uint64_t At = Address; At < Address + Bytes; ++At) {
        Added.insert({At, IsWrite});
        NumCovered += !IsWrite && Written.contains(At);
        if (IsWrite)
          Written.insert(At);
        else if (Written.contains(At))
          Committed.insert({At, false}); // or not
      }
      // Whatever is pending has its bits set.
      Pending.forEach([&](const auto &R) { EXPECT_TRUE(F.touches(R.E.First, R.E.Size)); },
                      [&](const auto &Some) {
                        Some.All.forEach([&](unsigned Granule) {
                          EXPECT_TRUE(F.touches(Some.Number * 256 + Granule * 8, 8));
                        });
                      });
      if (below(10) == 0) {
        Commit();
        uint64_t From = below(1000), Count = below(300) + 1;
        F.forget(From, Count);
        Written.erase(Written.lower_bound(From), Written.lower_bound(From + Count));
        EXPECT_FALSE(F.touches(From, Count));
      }
      if (below(20) == 0) {
        Commit();
        F.clear();
        Written.clear();
        EXPECT_FALSE(F.touches(0, 3000));
      }
      NumKnown += F.touches(Address, Bytes);
    }
    Commit();
    EXPECT_EQ(Committed, Added);
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << Round;
  }
  EXPECT_GT(NumKnown, 1000u);
  EXPECT_GT(NumEvicted, 1000u);
  EXPECT_GT(NumCovered, 1000u);
  EXPECT_GT(NumScattered, 100u);
}

TEST(Footprint, KnowsARangeIfItKnowsEveryGranuleOfIt) {
  std::mt19937_64 Random(7);
  auto below = [&](uint64_t N) { return unsigned(Random() % N); };
  unsigned NumKnown = 0;
  for (unsigned Round = 0; Round < 200; ++Round) {
    PageFootprint<64> P;
    // A few stretches, of whole granules but for their ends, and with some holes.
    for (unsigned I = 0; I < 6; ++I) {
      unsigned At = below(4000), End = std::min(4096u, At + below(1500));
      bool IsWrite = below(2);
      PageFootprint<64>::forEachGranule(At, End - At, [&](unsigned Offset, unsigned Bytes) {
        if (below(300))
          P.add(Offset, Bytes, IsWrite);
      });
    }
    for (unsigned I = 0; I < 200; ++I) {
      unsigned At = below(4096), Bytes = std::min(4096 - At, below(below(2) ? 40 : 1200));
      bool IsWrite = below(2), Expected = true;
      PageFootprint<64>::forEachGranule(At, Bytes, [&](unsigned Offset, unsigned Here) {
        Expected &= P.knows(Offset, Here, IsWrite);
      });
      EXPECT_EQ(P.knowsAll(At, Bytes, IsWrite), Expected) << At << ", " << Bytes << " bytes";
      NumKnown += Expected && Bytes > 512;
    }
    P.dropBytes();
  }
  EXPECT_GT(NumKnown, 100u);
}

} // namespace
