//===- granule_test.cpp - A granule is its eight bytes -----------------------===//
//
// A granule keeps bytes with one history in one part, and moves them from part to part. Beside it,
// every byte is by itself here, where nothing can be split or joined: both must see the same races
// on every byte, and know the same hits. Collections come and go.
//
//===----------------------------------------------------------------------===//

#include "shadow/granule.h"

#include "byte_shadow.h"
#include "detector/offline/stampers.h"

#include "gtest/gtest.h"

#include <random>

using namespace photofinish;

namespace {

class Beside {
public:
  void access(ThreadState &T, unsigned Mask, AccessKind Kind, Note N) {
    ByteRaces Seen, Expected;
    checkGranule(
        T, By[T.id()], Whole, uint8_t(Mask), Kind, [&] { return By[T.id()].stampFor(T.now(), N); },
        [&](uint8_t Where, Epoch First, Stamp S, AccessKind FirstKind) {
          EXPECT_EQ(All.epochOf(S), First);
          forEachByte(
              Where, [&](unsigned I) { Seen.insert({I, First.bits(), All.noteOf(S), FirstKind}); });
        });
    forEachByte(Mask, [&](unsigned I) { Bytes.access(T, I, Kind, N, Expected); });
    EXPECT_EQ(Seen, Expected);
    NumRaces += Seen.size();
  }
  void forget(unsigned Mask) {
    Whole.store(Granule::forgotten(Whole.load(), By[0], uint8_t(Mask)));
    forEachByte(Mask, [&](unsigned I) { Bytes.forget(I); });
  }
  void collect() {
    By.collect([&](Stamps::Collection &C) { Whole.store(Granule::kept(Whole.load(), C, All)); });
  }
  void expectPartition() {
    unsigned Parts = 0;
    Whole.forEach(All, [&](uint8_t Mask) {
      EXPECT_NE(Mask, 0u);
      EXPECT_EQ(Parts & Mask, 0u) << "a byte is in two parts";
      Parts |= Mask;
    });
    for (unsigned I = 0; I < Granule::Bytes; ++I) {
      EXPECT_EQ(Parts >> I & 1, Bytes.isTouchedPlainly(I));
      EXPECT_EQ(Whole.touched(All) >> I & 1, Bytes.isTouched(I));
    }
    EXPECT_EQ(Whole.isUntouched(), !Whole.touched(All));
    EXPECT_TRUE(Granule::areAlike(Whole.load(), Whole.load(), All));
  }
  void expectSameHits(unsigned Mask, const ThreadState &T) {
    using enum AccessKind;
    // The whole may not know at once that it is a hit; where it says so, every byte must.
    By[T.id()].publish(T.now(), true);
    const Hits &Known = By[T.id()].hits();
    uint64_t W = Whole.load();
    bool IsRead = Granule::isHit<Read>(W, uint8_t(Mask), Known) ||
                  Granule::isSame(W, uint8_t(Mask), false, T.now(), All);
    bool IsWritten = Granule::isHit<Write>(W, uint8_t(Mask), Known) ||
                     Granule::isSame(W, uint8_t(Mask), true, T.now(), All);
    forEachByte(Mask, [&](unsigned I) {
      bool WasWritten = Bytes.isAccessedAt(I, Write, T.now());
      EXPECT_TRUE(!IsRead || WasWritten || Bytes.isAccessedAt(I, Read, T.now()));
      EXPECT_TRUE(!IsWritten || WasWritten);
    });
    NumHits += Granule::isHit<Read>(W, uint8_t(Mask), Known) +
               Granule::isHit<Write>(W, uint8_t(Mask), Known);
  }

  uint64_t NumRaces = 0, NumHits = 0;

private:
  template <class Fn> static void forEachByte(unsigned Mask, Fn &&Visit) {
    for (unsigned I = 0; I < Granule::Bytes; ++I)
      if (Mask >> I & 1)
        Visit(I);
  }

  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By{All};
  Granule Whole;
  ByteShadow Bytes{Granule::Bytes};
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
      if (below(8) == 0)
        Both.collect();
      Both.expectPartition();
      Both.expectSameHits(Mask, T);
      if (HasFailure())
        FAIL() << "round " << Round << ", step " << Step;
    }
    NumRaces += Both.NumRaces;
    NumHits += Both.NumHits;
  }
  EXPECT_GT(NumRaces, 10000u);
  EXPECT_GT(NumHits, 4000u); // of granules with one part
}

// Many at a time, and one by one.
TEST(AlikeGranules, SpreadAsFarAsTheyAreAlike) {
  std::mt19937 Random(1);
  for (int Round = 0; Round < 2000; ++Round) {
    AlikeGranules Alike;
    uint8_t Mask = Random() % 8 ? 0xff : 0x0f;
    bool HasRaced = Random() % 8 == 0;
    Alike.next(5, Mask, [&](bool &Raced) {
      Raced = HasRaced;
      return uint64_t(7);
    });
    Granule Some[40];
    auto Count = unsigned(Random() % 40), Expected = 0u;
    for (Granule &G : Some)
      G.store(Random() % 16 ? 5 : 6);
    if (Mask == 0xff && !HasRaced)
      while (Expected < Count && Some[Expected].load() == 5)
        ++Expected;
    uint64_t Behind = Some[Expected].load();
    ASSERT_EQ(Alike.spread(Some, Count), Expected);
    for (unsigned I = 0; I < Expected; ++I)
      EXPECT_EQ(Some[I].load(), 7u);
    EXPECT_EQ(Some[Expected].load(), Behind);
  }
}

} // namespace
