//===- granule_stress_test.cpp - Granules that many threads change at once ----------===//
//
// A granule has no lock: it is a word, which threads exchange for another (shadow/granule.h). Real
// threads do so here, and nothing may be lost: what each of them did is there in the end. Built
// with ThreadSanitizer as well, where it must be silent.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/stampers.h"
#include "shadow/granule.h"
#include "workers.h"

#include "gtest/gtest.h"

#include <mutex>
#include <set>

using namespace photofinish;

namespace {

/// An access as the runtime makes it; how many races it has found.
unsigned access(Granule &G, ThreadState &T, Stamper &By, uint8_t Mask, AccessKind Kind, Note N,
                std::set<Note> *Others = nullptr) {
  for (uint64_t Old = G.load();;) {
    std::set<Note> Raced;
    uint64_t New = Granule::accessed(
        Old, T, By, Mask, Kind, [&] { return By.stampFor(T.now(), N); },
        [&](uint8_t, Epoch, Stamp S, AccessKind) { Raced.insert(By.all().noteOf(S)); });
    if (New != Old && !G.exchange(Old, New))
      continue;
    if (Others)
      Others->insert(Raced.begin(), Raced.end());
    return unsigned(Raced.size());
  }
}

class GranuleStress : public testing::Test {
protected:
  static constexpr unsigned NumThreads = 8;

  GranuleStress() : Threads(NumThreads) {
    for (unsigned I = 0; I <= NumThreads; ++I)
      (void)By[I]; // none is made while they run
  }

  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By{All};
  Workers Threads;
};

/// Each thread has a byte, and they share the granule: no race, and every byte has its own history.
TEST_F(GranuleStress, NeighboursDoNotMeet) {
  constexpr unsigned NumGranules = 64, Rounds = 200;
  std::vector<Granule> Granules(NumGranules);
  std::atomic<unsigned> Races{0};
  Threads.run([&](ThreadState &T) {
    unsigned Byte = T.id() - 1;
    for (unsigned Round = 0; Round < Rounds; ++Round) {
      for (Granule &G : Granules)
        Races += access(G, T, By[T.id()], uint8_t(1u << Byte), AccessKind::Write, T.id() * 10);
      T.advance();
      for (Granule &G : Granules)
        Races += access(G, T, By[T.id()], uint8_t(1u << Byte), AccessKind::Read, T.id() * 10 + 1);
      T.advance();
    }
  });
  EXPECT_EQ(Races, 0u);
  // Somebody who knows none of them races with each.
  ThreadState Stranger(NumThreads + 1);
  for (Granule &G : Granules)
    for (unsigned Byte = 0; Byte < NumThreads; ++Byte) {
      std::set<Note> Others;
      access(G, Stranger, By[NumThreads + 1], uint8_t(1u << Byte), AccessKind::Write, 1, &Others);
      EXPECT_EQ(Others, (std::set<Note>{Note(Byte + 1) * 10, Note(Byte + 1) * 10 + 1}));
    }
}

/// All read the same bytes at once: a later write races with every one of them.
TEST_F(GranuleStress, NoReaderIsLost) {
  constexpr unsigned NumGranules = 2000;
  std::vector<Granule> Granules(NumGranules);
  Threads.run([&](ThreadState &T) {
    for (Granule &G : Granules)
      EXPECT_EQ(access(G, T, By[T.id()], 0x0f, AccessKind::Read, T.id()), 0u);
  });
  std::set<Note> Expected;
  for (unsigned I = 1; I <= NumThreads; ++I)
    Expected.insert(I);
  ThreadState Stranger(NumThreads + 1);
  for (Granule &G : Granules) {
    std::set<Note> Others;
    access(G, Stranger, By[NumThreads + 1], 0xff, AccessKind::Write, 99, &Others);
    EXPECT_EQ(Others, Expected);
  }
}

/// All write the same bytes once: everybody but the first races with the one before.
TEST_F(GranuleStress, EveryRaceIsFoundOnce) {
  constexpr unsigned NumGranules = 2000;
  std::vector<Granule> Granules(NumGranules);
  std::vector<std::atomic<unsigned>> Races(NumGranules);
  Threads.run([&](ThreadState &T) {
    for (unsigned I = 0; I < NumGranules; ++I)
      Races[I] += access(Granules[I], T, By[T.id()], 0x30, AccessKind::Write, T.id());
  });
  for (unsigned I = 0; I < NumGranules; ++I)
    EXPECT_EQ(Races[I], NumThreads - 1);
}

/// Bytes of several sizes, under one lock: no race.
TEST_F(GranuleStress, LockedGranulesDoNotRace) {
  constexpr unsigned Rounds = 4000;
  Granule G;
  std::mutex M;
  LockState L;
  std::atomic<unsigned> Races{0};
  Threads.run([&](ThreadState &T) {
    uint64_t Random = T.id();
    for (unsigned Round = 0; Round < Rounds; ++Round) {
      Random = Random * UINT64_C(6364136223846793005) + 1;
      unsigned Size = 1u << (Random >> 60 & 3), At = unsigned(Random >> 40) % 8 / Size * Size;
      std::lock_guard Guard(M);
      rule::acquire(T, L);
      Races += access(G, T, By[T.id()], Granule::maskOf(At, Size),
                      Random >> 50 & 1 ? AccessKind::Write : AccessKind::Read, Round % 7);
      rule::release(T, L);
    }
  });
  EXPECT_EQ(Races, 0u);
}

} // namespace
