//===- class_page_test.cpp - Footprints and classes against single bytes ------===//
//
// A page of classes, with small limits, beside a page where every byte has a granule of its own:
// both must find the same races, on every byte, between the same places.
//
//===----------------------------------------------------------------------===//

#include "shadow/class_page.h"
#include "shadow/footprint.h"

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
      EXPECT_EQ(Result[I], A[I] == Byte || I == 5 ? 3 : A[I] | B[I]);
    }
  }
}

// byte, first epoch, its note and kind
using Races = std::set<std::tuple<uint64_t, uint64_t, Note, AccessKind>>;

template <class Page> class Beside {
public:
  static constexpr uint64_t Size = Page::PageBytes;

  Beside() : Bytes(new Granule[Size]) {}
  ~Beside() {
    P.clear(H);
    Twin.clear(H);
    H.forgetTransitions();
    EXPECT_EQ(H.Count.Made, H.Count.Gone) << "histories that nobody has";
  }

  void access(ThreadState &T, const Elements &E, bool IsWrite, Note N) {
    Races Seen, Expected;
    // Another page with the same history comes first: what its classes become, P's do, too.
    Twin.access(T, E, IsWrite, N, H, [](auto &&...) {});
    P.access(T, E, IsWrite, N, H,
             [&](uint64_t Offset, uint64_t Count, Epoch First, Note FirstNote, AccessKind Kind) {
               for (uint64_t At = Offset; At < Offset + Count; ++At)
                 Seen.insert({At, First.bits(), FirstNote, Kind});
             });
    for (uint32_t I = 0; I < E.Count; ++I)
      for (uint64_t Byte = 0; Byte < E.Size; ++Byte)
        checkByte(T, E.First + uint64_t(E.Stride) * I + Byte,
                  IsWrite ? AccessKind::Write : AccessKind::Read, N, Expected);
    expectSame(Seen, Expected);
  }
  void atomic(ThreadState &T, uint64_t Granules, unsigned Mask, AccessKind Kind, Note N) {
    Races Seen, Expected;
    Twin.accessAtomically(
        T, Granules * 8, uint8_t(Mask), Kind, [&] { return N; }, H, [](auto &&...) {});
    P.accessAtomically(
        T, Granules * 8, uint8_t(Mask), Kind, [&] { return N; }, H,
        [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
          for (unsigned B = 0; B < 8; ++B)
            if (Raced >> B & 1)
              Seen.insert({Granules * 8 + B, First.bits(), FirstNote, FirstKind});
        });
    for (unsigned B = 0; B < 8; ++B)
      if (Mask >> B & 1)
        checkByte(T, Granules * 8 + B, Kind, N, Expected);
    expectSame(Seen, Expected);
  }
  void reset(uint64_t First, uint64_t Count) {
    Twin.reset(First, Count, H);
    P.reset(First, Count, H);
    for (uint64_t At = First; At < First + Count; ++At)
      Bytes[At].forget(1);
    EXPECT_TRUE(P.verify());
  }

  Page P, Twin;
  Histories H;
  uint64_t NumRaces = 0;

private:
  void expectSame(const Races &Seen, const Races &Expected) {
    EXPECT_EQ(Seen, Expected);
    EXPECT_TRUE(P.verify());
    NumRaces += Seen.size();
    for (unsigned Line = 0; Line < Size / LineBytes; ++Line) {
      ByteMask Touched = 0;
      for (unsigned Byte = 0; Byte < LineBytes; ++Byte)
        Touched |= ByteMask(!Bytes[Line * LineBytes + Byte].isUntouched()) << Byte;
      EXPECT_EQ(P.touched(Line), Touched);
    }
  }
  void checkByte(ThreadState &T, uint64_t At, AccessKind Kind, Note N, Races &Found) {
    checkGranule(
        T, Bytes[At], 1, Kind, [&] { return N; },
        [&](uint8_t, Epoch First, Note FirstNote, AccessKind FirstKind) {
          Found.insert({At, First.bits(), FirstNote, FirstKind});
        });
  }

  std::unique_ptr<Granule[]> Bytes;
};

/// Sweeps, blocks, strides, single fields and noise, of several threads that now and then meet.
template <class Page> Histories::Counts compare(unsigned Seed, int Rounds, unsigned AtomicsOf20) {
  std::mt19937 Random(Seed);
  auto below = [&](uint64_t N) { return uint64_t(Random() % N); };
  Histories::Counts All;
  uint64_t NumRaces = 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    ThreadState Threads[] = {ThreadState(0), ThreadState(1), ThreadState(2)};
    Beside<Page> Both;
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
      Both.H.forgetTransitions();
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << Seed << ", round " << Round << ", step " << Step;
        return All;
      }
    }
    All += Both.H.Count;
    NumRaces += Both.NumRaces;
  }
  EXPECT_GT(NumRaces, 1000u);
  return All;
}

TEST(ClassPage, IsItsBytes) {
  Histories::Counts Counts = compare<ClassPage<4, 4>>(1, 1500, 2);
  EXPECT_GT(Counts.Splits, 1000u);
  EXPECT_GT(Counts.Merges, 1000u);
  EXPECT_GT(Counts.Shared, 1000u);
  EXPECT_GT(Counts.InPlace, 1000u);
  EXPECT_GT(Counts.ToFine, 100u);
  EXPECT_GT(Counts.ToClasses, 100u);
}

TEST(ClassPage, IsItsBytesWithoutAtomics) {
  Histories::Counts Counts = compare<ClassPage<8>>(2, 300, 0);
  EXPECT_GT(Counts.Merges, 100u);
  EXPECT_EQ(Counts.ToFine, 0u);
}

TEST(ClassPage, IsItsBytesAtFullSize) { compare<ClassPage<64>>(3, 6, 1); }

void expectNoRace(uint64_t, uint64_t, Epoch, Note, AccessKind) { FAIL() << "a race"; }

/// Pages that are accessed together share their histories, however often they change.
TEST(ClassPage, PagesShareHistories) {
  ClassPage<64> Pages[8];
  Histories H;
  ThreadState A(0), B(1);
  for (int Round = 0; Round < 10; ++Round) {
    for (ThreadState *T : {&A, &B}) {
      for (auto &P : Pages) {
        P.access(*T, {0, 8, 16, 256}, false, 1, H, expectNoRace);
        P.access(*T, {8, 8, 16, 256}, false, 2, H, expectNoRace);
      }
      H.forgetTransitions();
      T->advance();
    }
    EXPECT_EQ(H.Count.Made - H.Count.Gone, 2u);
    double Cells = 0;
    for (auto &P : Pages) {
      EXPECT_EQ(P.numClasses(), 2u);
      Cells += P.numCells();
    }
    EXPECT_EQ(Cells, 2.0);
  }
  for (auto &P : Pages)
    P.clear(H);
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
  uint64_t NumKnown = 0, NumEvicted = 0, NumCovered = 0;
  for (int Round = 0; Round < 200; ++Round) {
    Footprints<PageFootprint<4>, 2, ~uint64_t(0)> F;
    Runs<Place, 4> Pending;
    std::set<std::tuple<uint64_t, bool>> Committed, Added;
    std::set<uint64_t> Written; // and perhaps still known to be
    auto Commit = [&] {
      Pending.forEach([&](const auto &R) {
        R.E.template forEachPage<256>([&](uint64_t Number, const Elements &E) {
          for (uint32_t I = 0; I < E.Count; ++I)
            for (uint64_t B = 0; B < E.Size; ++B)
              Committed.insert({Number * 256 + E.First + uint64_t(E.Stride) * I + B, R.IsWrite});
        });
      });
      Pending.clear();
    };
    for (int Step = 0; Step < 100; ++Step) {
      uint64_t Address = below(1000), Bytes = below(20) ? uint64_t(1) << below(5) : below(1200) + 1;
      bool IsWrite = below(2);
      F.add(
          Address, Bytes, IsWrite,
          [&](const Elements &E) {
            if (Pending.isFull())
              Commit();
            Pending.add(E, IsWrite, {unsigned(below(3))});
          },
          [&] {
            ++NumEvicted;
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
      Pending.forEach([&](const auto &R) { EXPECT_TRUE(F.touches(R.E.First, R.E.Size)); });
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
}

} // namespace
