//===- micro_bench.cpp - What one rule, one commit, one operation cost -----------===//
//
// Google Benchmark over the parts that the live runtime will run: the rules' fast and slow
// paths, clocks as threads become many, commits of footprints to class pages.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/stampers.h"
#include "detector/sync.h"
#include "detector/verifiedft.h"
#include "shadow/class_page.h"

#include "benchmark/benchmark.h"

#include <vector>

using namespace photofinish;

namespace {

auto NoRace = [](Epoch, Note, AccessKind) {};

template <VerifiedFTVersion Version> void readSameEpoch(benchmark::State &State) {
  ThreadState T(0);
  LockedCell X;
  while (State.KeepRunning())
    VerifiedFT<Version>::read(T, X, 1, NoRace);
}
BENCHMARK(readSameEpoch<VerifiedFTVersion::V1>);
BENCHMARK(readSameEpoch<VerifiedFTVersion::V1_5>);
BENCHMARK(readSameEpoch<VerifiedFTVersion::V2>);

template <VerifiedFTVersion Version> void readSharedSameEpoch(benchmark::State &State) {
  ThreadState T(0), U(1);
  LockedCell X;
  VerifiedFT<Version>::read(T, X, 1, NoRace);
  VerifiedFT<Version>::read(U, X, 1, NoRace);
  while (State.KeepRunning())
    VerifiedFT<Version>::read(T, X, 1, NoRace);
}
BENCHMARK(readSharedSameEpoch<VerifiedFTVersion::V1>);
BENCHMARK(readSharedSameEpoch<VerifiedFTVersion::V1_5>);
BENCHMARK(readSharedSameEpoch<VerifiedFTVersion::V2>);

/// A new epoch before every write: the slow path.
void writeExclusive(benchmark::State &State) {
  ThreadState T(0);
  LockedCell X;
  while (State.KeepRunning()) {
    T.advance();
    VerifiedFT<VerifiedFTVersion::V2>::write(T, X, 1, NoRace);
  }
}
BENCHMARK(writeExclusive);

void acquireRelease(benchmark::State &State) {
  ThreadState T(0);
  LockState M;
  Clock Others;
  Others.set(uint32_t(State.range(0)) - 1, 1);
  T.learn(Others);
  while (State.KeepRunning()) {
    rule::acquire(T, M);
    rule::release(T, M);
  }
}
BENCHMARK(acquireRelease)->RangeMultiplier(8)->Range(1, 4096);

/// Two threads take turns on a page; each writes a run of so many granules.
void commitRun(benchmark::State &State) {
  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By(All);
  CommitCounts Counts;
  ClassPage<64> Page;
  ThreadState Threads[] = {ThreadState(0), ThreadState(1)};
  uint64_t Turn = 0;
  while (State.KeepRunning()) {
    auto Length = uint64_t(State.range(0));
    ThreadState &T = Threads[Turn % 2], &Next = Threads[++Turn % 2];
    Stamper &Mine = By[T.id()];
    Page.access({T, Mine, Counts}, Elements::range(Turn % (512 / Length) * Length * 8, Length * 8),
                true, Mine.stampFor(T.now(), 1), hasAvx2(), [](auto &&...) {});
    if (All.wantsCollection())
      By.collect([&](Stamps::Collection &C) { Page.keep(C, All); });
    Next.learn(T.clock());
    T.advance();
  }
}
BENCHMARK(commitRun)->Arg(32)->Arg(64)->Arg(512);

} // namespace
