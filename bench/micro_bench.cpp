//===- micro_bench.cpp - What one rule, one commit, one operation cost -----------===//
//
// Google Benchmark over the parts that the live runtime will run: the rules' fast and slow
// paths, clocks as threads become many, commits of footprints to class pages.
//
//===----------------------------------------------------------------------===//

#include "detector/sync.h"
#include "detector/verifiedft.h"
#include "shadow/classes.h"

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

/// Two threads take turns on a page; each commit writes a run of so many locations.
void commitRun(benchmark::State &State) {
  constexpr uint32_t PageBytes = 4096;
  ClassPage<PageBytes> Page;
  CommitCounts Counts;
  uint64_t Alive = 0, Clock = 0;
  while (State.KeepRunning()) {
    PageFootprint F(PageBytes, 8);
    uint32_t Length = uint32_t(State.range(0));
    uint32_t First = uint32_t(Clock % (512 / Length)) * Length;
    F.Written.setRun(First, First + Length - 1);
    ++Clock;
    Page.commit(F, Counts, [&](const CellRef &Old, AccessKind, auto &&) {
      CellRef New = CellRef::copyOf(Old, Alive);
      New.fresh().assertOwned();
      New.fresh().setWrite(Epoch(uint32_t(Clock % 2), Clock), 0);
      return New;
    });
  }
}
BENCHMARK(commitRun)->Arg(1)->Arg(8)->Arg(64)->Arg(512);

} // namespace
