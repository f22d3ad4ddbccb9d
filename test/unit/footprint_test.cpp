//===- footprint_test.cpp - What a thread has pending, against bytes ------------===//
//
// A thread accesses and frees bytes at random, from places. Whatever way they are noted in (runs,
// sets, singles), a commit is to find for every byte that has been accessed since it was allocated,
// and since the last commit, a place that has done that: a write's, or a read's if there is no
// write.
//
//===----------------------------------------------------------------------===//

#include "shadow/footprint.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>

using namespace photofinish;

namespace {

struct Place {
  uint32_t Number;

  bool operator==(const Place &) const = default;
  uint64_t hash() const { return Number; }
};

using Page = PageFootprint<4>;
constexpr uint64_t PageBytes = Page::PageBytes, NumBytes = 3 * PageBytes;

class AgainstBytes {
public:
  explicit AgainstBytes(bool HasSingles) : HasSingles(HasSingles) {}

  void access(uint64_t Address, uint64_t Bytes, bool IsWrite, Place P) {
    Touched.add(
        Address, Bytes, IsWrite,
        [&](Page &F, const auto &New) {
          if (Pending.isFull())
            commit();
          note(F, New, IsWrite, P);
          forEachByte(F, New, [&](uint64_t B) { Of[B].NotedBy[IsWrite].insert(P.Number); });
        },
        [&](Page &Gone) {
          if (Pending.isPending(Gone))
            commit();
        });
    for (uint64_t B = Address; B < Address + Bytes; ++B) {
      const Byte &Its = Of[B];
      EXPECT_TRUE(Its.isKnown(true) || (!IsWrite && Its.isKnown(false))) << "byte " << B;
    }
  }
  void free(uint64_t Address, uint64_t Bytes) {
    Page *F = Touched.find(Address / PageBytes);
    auto Offset = unsigned(Address % PageBytes);
    if (F && Pending.canDrop(*F, Offset, unsigned(Bytes))) {
      Pending.drop(*F, Offset, unsigned(Bytes));
      ++Dropped;
    } else {
      if (Touched.touches(Address, Bytes))
        commit();
      Touched.forget(Address, Bytes);
    }
    for (uint64_t B = Address; B < Address + Bytes; ++B)
      Of[B] = {};
  }
  void commit() {
    std::map<uint64_t, uint32_t> Written, Read;
    auto Tell = [&](uint64_t Address, uint64_t Bytes, bool IsWrite, Place P) {
      for (uint64_t B = Address; B < Address + Bytes; ++B)
        if (IsWrite)
          Written.try_emplace(B, P.Number);
        else if (!Written.count(B))
          Read.try_emplace(B, P.Number);
    };
    Pending.forEach(
        [&](const auto &R) {
          for (uint32_t I = 0; I < R.E.Count; ++I)
            Tell(R.E.First + uint64_t(R.E.Stride) * I, R.E.Size, R.IsWrite, R.P);
        },
        [&](const auto &Some) {
          Some.All.forEach([&](unsigned G) {
            Tell(Some.Number * PageBytes + G * GranuleBytes, GranuleBytes, Some.IsWrite, Some.P);
          });
        });
    Pending.forEachSingle(Touched, Tell, [](uint64_t) {});
    Pending.clear();
    for (uint64_t B = 0; B < NumBytes; ++B) {
      Byte &Its = Of[B];
      ASSERT_TRUE(isOneOf(Written, B, Its.NotedBy[true])) << "write of byte " << B;
      if (!Its.isKnown(true))
        ASSERT_TRUE(isOneOf(Read, B, Its.NotedBy[false])) << "read of byte " << B;
      for (bool IsWrite : {false, true}) {
        Its.IsCommitted[IsWrite] |= !Its.NotedBy[IsWrite].empty();
        Its.NotedBy[IsWrite].clear();
      }
    }
  }
  void beginEpoch() {
    commit();
    Touched.clear();
    for (Byte &Its : Of)
      Its = {};
  }

  unsigned Dropped = 0;

private:
  struct Byte {
    std::set<uint32_t> NotedBy[2]; // in this life, and not committed: reads, writes
    bool IsCommitted[2] = {};      // in this epoch

    bool isKnown(bool IsWrite) const { return IsCommitted[IsWrite] || !NotedBy[IsWrite].empty(); }
  };
  static bool isOneOf(const std::map<uint64_t, uint32_t> &Found, uint64_t B,
                      const std::set<uint32_t> &Places) {
    auto It = Found.find(B);
    return It == Found.end() ? Places.empty() : Places.count(It->second) > 0;
  }
  template <class Fn> static void forEachByte(const Page &, const Elements &E, Fn &&Visit) {
    for (uint32_t I = 0; I < E.Count; ++I)
      for (uint64_t B = 0; B < E.Size; ++B)
        Visit(E.First + uint64_t(E.Stride) * I + B);
  }
  template <class Fn> static void forEachByte(const Page &F, const Page::Set &Some, Fn &&Visit) {
    Some.forEach([&](unsigned G) {
      for (uint64_t B = 0; B < GranuleBytes; ++B)
        Visit(F.Number * PageBytes + G * GranuleBytes + B);
    });
  }

  void note(Page &F, const Elements &E, bool IsWrite, Place P) {
    // Pages have both.
    if (HasSingles && E.isRange() && E.First / LineBytes % 4)
      Pending.addSingle(F, E.First, uint32_t(E.span()), IsWrite, P);
    else
      Pending.add(F, E, IsWrite, P);
  }
  void note(Page &F, const Page::Set &Some, bool IsWrite, Place P) {
    Pending.add(F, Some, IsWrite, P);
  }

  const bool HasSingles;
  Byte Of[NumBytes];
  Footprints<Page, 2, ~uint64_t(0)> Touched;
  PendingAccesses<Page, Place, 40, 40, 40> Pending;
};

/// Where a place is.
struct Walk {
  uint64_t Next = 0;
  bool IsWriter = false;
};
/// A block of any size, beginning with a granule, often where somebody is.
uint64_t randomBlock(std::mt19937 &Random, const Walk &Somebodys, uint64_t &Bytes) {
  uint64_t Address = (Random() % 2 ? Random() : Somebodys.Next) % NumBytes;
  Address -= Address % GranuleBytes;
  Bytes = std::min<uint64_t>(1 + Random() % 40, PageBytes - Address % PageBytes);
  return Address;
}

void compare(bool HasSingles, unsigned &Dropped) {
  for (unsigned Seed = 0; Seed < 200 && !testing::Test::HasFatalFailure(); ++Seed) {
    std::mt19937 Random(Seed);
    AgainstBytes Both(HasSingles);
    Walk Of[4];
    for (int I = 0; I < 400 && !testing::Test::HasFatalFailure(); ++I) {
      auto P = unsigned(Random() % 4);
      Walk &Its = Of[P];
      unsigned What = Random() % 32;
      if (What == 0) {
        Both.beginEpoch();
      } else if (What == 1) {
        Both.commit();
      } else if (What < 6) {
        uint64_t Bytes, Address = randomBlock(Random, Its, Bytes);
        Both.free(Address, Bytes);
      } else {
        // Most go on where they have been; some where another is.
        if (Random() % 8 == 0)
          Its = {Random() % 2 ? Random() % NumBytes : Of[Random() % 4].Next, Random() % 2 == 0};
        uint64_t Size = uint64_t(1) << Random() % 5;
        Its.Next = Its.Next / Size * Size;
        if (Its.Next + Size > NumBytes)
          Its.Next = 0;
        Both.access(Its.Next, Size, Its.IsWriter, {P + 1});
        Its.Next += Size;
      }
    }
    Both.commit();
    Dropped += Both.Dropped;
  }
}

TEST(Footprint, RunsAndSetsHaveEveryByte) {
  unsigned Dropped = 0;
  compare(/*HasSingles=*/false, Dropped);
}

TEST(Footprint, SinglesHaveEveryByteOfThisLife) {
  unsigned Dropped = 0;
  compare(/*HasSingles=*/true, Dropped);
  EXPECT_GT(Dropped, 1000u);
}

TEST(Footprint, WhatIsKnownOtherwiseIsShown) {
  Page F;
  F.add(8, 8, /*IsWrite=*/true);
  EXPECT_TRUE(F.has(8, 8, /*IsWrite=*/false)) << "a read of what was written";
  EXPECT_FALSE(F.has(11, 1, /*IsWrite=*/true)) << "there are no bytes so far";
  EXPECT_TRUE(F.knows(11, 1, /*IsWrite=*/true));
  F.show(11, 1, /*IsWrite=*/false);
  for (bool IsWrite : {false, true}) {
    EXPECT_TRUE(F.has(11, 1, IsWrite));
    EXPECT_TRUE(F.has(12, 4, IsWrite)) << "it is of the same granule";
    EXPECT_FALSE(F.has(16, 1, IsWrite)) << "the next granule";
  }
  F.add(24, 8, /*IsWrite=*/false);
  F.show(24, 2, /*IsWrite=*/false);
  EXPECT_TRUE(F.has(28, 4, /*IsWrite=*/false));
  EXPECT_FALSE(F.has(28, 4, /*IsWrite=*/true)) << "it was only read";
  F.dropBytes();
}

TEST(Footprint, FewPagesKeepTheirBytes) {
  using Table = Footprints<Page, 512, ~uint64_t(0)>;
  constexpr uint64_t NumPages = Table::MaxKeeping * 3;
  auto Touched = std::make_unique<Table>();
  auto NumOwning = [&] {
    unsigned Count = 0;
    for (uint64_t Number = 0; Number < NumPages; ++Number)
      if (const Page *F = Touched->find(Number))
        Count += F->ownsBytes();
    return Count;
  };
  for (uint64_t Number = 0; Number < NumPages; ++Number) {
    Page &F = *Touched->touch(Number);
    F.add(3, 1, /*IsWrite=*/true);
    // One that comes again and again is no newcomer.
    Touched->touch(0)->add(5, 2, /*IsWrite=*/false);
    EXPECT_TRUE(F.has(3, 1, /*IsWrite=*/true));
    Touched->clear();
    EXPECT_FALSE(F.has(3, 1, /*IsWrite=*/true));
    EXPECT_EQ(NumOwning(), std::min<uint64_t>(Number + 1, Table::MaxKeeping));
    EXPECT_TRUE(F.ownsBytes());
  }
  // All of them in one epoch.
  for (uint64_t Number = 0; Number < NumPages; ++Number)
    Touched->touch(Number)->add(3, 1, /*IsWrite=*/true);
  EXPECT_EQ(NumOwning(), NumPages);
  Touched->clear();
  EXPECT_EQ(NumOwning(), Table::MaxKeeping);
}

TEST(Footprint, ZeroedMemoryHasNoBytes) {
  using LivePage = PageFootprint<64>;
  using Table = Footprints<LivePage, 2, 0>;
  void *Memory = std::aligned_alloc(alignof(Table), sizeof(Table));
  std::memset(Memory, 0, sizeof(Table));
  auto *Touched = static_cast<Table *>(Memory);
  LivePage &F = *Touched->touch(3);
  for (unsigned G = 0; G < LivePage::NumGranules; G += 2)
    F.add(G * GranuleBytes, GranuleBytes, /*IsWrite=*/true);
  for (unsigned Offset = 0; Offset < LivePage::PageBytes; ++Offset)
    for (bool IsWrite : {false, true})
      ASSERT_FALSE(F.has(Offset, 1, IsWrite)) << "byte " << Offset;
  F.add(9, 1, /*IsWrite=*/true);
  EXPECT_TRUE(F.has(9, 1, /*IsWrite=*/true));
  EXPECT_FALSE(F.has(10, 1, /*IsWrite=*/false));
  Touched->~Table();
  std::free(Memory);
}

} // namespace
