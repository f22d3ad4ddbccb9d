//===- granule_test.cpp - A granule is its eight bytes -----------------------===//
//
// A granule keeps bytes with one history in one part, and moves them from part to part. Beside it,
// every byte has a granule of its own here, where nothing can be split or joined: both must see the
// same races on every byte, and answer the same without the lock.
//
//===----------------------------------------------------------------------===//

#include "shadow/granule.h"

#include "gtest/gtest.h"

#include <random>
#include <set>
#include <tuple>

using namespace photofinish;

namespace {

using Races = std::set<std::tuple<unsigned, uint64_t, Note, AccessKind>>; // from the byte on

class Beside {
public:
  void access(ThreadState &T, unsigned Mask, AccessKind Kind, Note N) {
    Races Seen, Expected;
    check(T, Whole, Mask, Kind, N, 0, Seen);
    forEachByte(Mask, [&](unsigned I) { check(T, Bytes[I], 1, Kind, N, I, Expected); });
    EXPECT_EQ(Seen, Expected);
    Touched |= Mask;
    NumRaces += Seen.size();
  }
  void forget(unsigned Mask) {
    Whole.forget(uint8_t(Mask));
    forEachByte(Mask, [&](unsigned I) { Bytes[I].forget(1); });
    Touched &= ~Mask;
  }
  void expectPartition() {
    unsigned Parts = 0;
    Whole.forEach([&](uint8_t Mask) {
      EXPECT_NE(Mask, 0u);
      EXPECT_EQ(Parts & Mask, 0u) << "a byte is in two parts";
      Parts |= Mask;
    });
    EXPECT_EQ(Parts, Touched);
  }
  void expectSameHits(unsigned Mask, Epoch Now) {
    // The whole may not know at once that it is a hit; where it says so, every byte must.
    bool IsRead = Whole.isReadSince(uint8_t(Mask), Now);
    bool IsWritten = Whole.isWrittenSince(uint8_t(Mask), Now);
    forEachByte(Mask, [&](unsigned I) {
      EXPECT_TRUE(!IsRead || Bytes[I].isReadSince(1, Now));
      EXPECT_TRUE(!IsWritten || Bytes[I].isWrittenSince(1, Now));
    });
    NumHits += IsRead + IsWritten;
  }

  uint64_t NumRaces = 0, NumHits = 0;

private:
  template <class Fn> static void forEachByte(unsigned Mask, Fn &&Visit) {
    for (unsigned I = 0; I < Granule::Bytes; ++I)
      if (Mask >> I & 1)
        Visit(I);
  }
  static void check(ThreadState &T, Granule &G, unsigned Mask, AccessKind Kind, Note N,
                    unsigned Shift, Races &Found) {
    checkGranule(
        T, G, uint8_t(Mask), Kind, [&] { return N; },
        [&](uint8_t Where, Epoch First, Note FirstNote, AccessKind FirstKind) {
          forEachByte(Where, [&](unsigned I) {
            Found.insert({I + Shift, First.bits(), FirstNote, FirstKind});
          });
        });
  }

  Granule Whole, Bytes[Granule::Bytes];
  unsigned Touched = 0;
};

TEST(GranuleTest, IsItsEightBytes) {
  std::mt19937 Random(1);
  auto below = [&](unsigned N) { return unsigned(Random() % N); };
  uint64_t NumRaces = 0, NumHits = 0;
  for (int Round = 0; Round < 2000; ++Round) {
    ThreadState Threads[] = {ThreadState(0), ThreadState(1), ThreadState(2)};
    Beside Both;
    const unsigned AtomicsOf10 = Round % 3; // also none at all
    for (int Step = 0; Step < 60; ++Step) {
      ThreadState &T = Threads[below(3)];
      unsigned Size = 1u << below(4);
      unsigned Mask = Granule::maskOf(below(8 / Size) * Size, Size);
      switch (below(12)) {
      case 0: // T releases, another one acquires
        Threads[below(3)].learn(T.clock());
        T.advance();
        break;
      case 1:
        Both.forget(Mask);
        break;
      default: {
        bool IsAtomic = below(10) < AtomicsOf10, IsWrite = below(2);
        AccessKind Kind = IsAtomic  ? IsWrite ? AccessKind::AtomicWrite : AccessKind::AtomicRead
                          : IsWrite ? AccessKind::Write
                                    : AccessKind::Read;
        Both.access(T, Mask, Kind, Note(Step));
      }
      }
      Both.expectPartition();
      Both.expectSameHits(Mask, T.now());
      if (HasFailure())
        FAIL() << "round " << Round << ", step " << Step;
    }
    NumRaces += Both.NumRaces;
    NumHits += Both.NumHits;
  }
  EXPECT_GT(NumRaces, 10000u);
  EXPECT_GT(NumHits, 10000u);
}

} // namespace
