//===- shrink_test.cpp - Known failures with known smallest traces ---------===//

#include "trace/shrink.h"

#include "test/unit/trace_builder.h"
#include "trace/feasibility.h"
#include "trace/generator.h"
#include "trace/oracle.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace photofinish;

namespace {

/// Everything the generator can do, with races.
Trace noise(uint64_t Seed, uint64_t Operations = 150) {
  GeneratorOptions O;
  O.Seed = Seed;
  O.Operations = Operations;
  O.Threads = 5;
  O.Model = Seed % 2 ? ThreadModel::Dynamic : ThreadModel::Forked;
  O.StartExit = 50;
  O.ReadLocks = O.AllocFree = true;
  O.Conditions = O.Barriers = O.Once = 2;
  O.Atomics = 3;
  O.Discipline = 40;
  O.Burst = 1;
  return generate(O);
}

Trace shrinkChecked(const Trace &Failing, llvm::function_ref<bool(const Trace &)> StillFails) {
  EXPECT_TRUE(StillFails(Failing)) << "nothing to shrink";
  Trace Small = shrink(Failing, [&](const Trace &T) {
    EXPECT_TRUE(isFeasible(T));
    return StillFails(T);
  });
  EXPECT_TRUE(isFeasible(Small));
  EXPECT_TRUE(StillFails(Small));
  EXPECT_LE(Small.size(), Failing.size());
  return Small;
}

size_t countKind(const Trace &Ops, OpKind Kind) {
  return size_t(llvm::count_if(Ops, [&](const Operation &Op) { return Op.Kind == Kind; }));
}

std::vector<OpKind> kinds(const Trace &Ops) {
  std::vector<OpKind> Kinds;
  for (const Operation &Op : Ops)
    Kinds.push_back(Op.Kind);
  return Kinds;
}

/// Some thread accesses memory between two operations First and Second on one lock.
bool accessesBetween(const Trace &Ops, OpKind First, OpKind Second) {
  for (size_t I = 0; I < Ops.size(); ++I)
    if (Ops[I].Kind == First)
      for (size_t J = I + 1, Accesses = 0; J < Ops.size(); ++J) {
        if (Ops[J].Thread != Ops[I].Thread)
          continue;
        Accesses += isAccess(Ops[J].Kind);
        if (Ops[J].Kind == Second && Ops[J].Target == Ops[I].Target && Accesses)
          return true;
      }
  return false;
}

/// The first of the noise traces on which a property holds.
Trace noiseWith(llvm::function_ref<bool(const Trace &)> Property) {
  for (uint64_t Seed = 1; Seed < 200; ++Seed)
    if (Trace T = noise(Seed); Property(T))
      return T;
  ADD_FAILURE() << "no such trace";
  return {};
}

} // namespace

TEST(Shrink, ARaceIsTwoAccesses) {
  const auto HasRace = [](const Trace &T) { return runOracle(T).hasRace(); };
  unsigned Racy = 0;
  for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
    SCOPED_TRACE(Seed);
    const Trace Long = noise(Seed);
    if (!HasRace(Long))
      continue;
    ++Racy;
    const Trace Small = shrinkChecked(Long, HasRace);
    ASSERT_LE(Small.size(), 3u); // the two, and the alloc that a racing free needs
    size_t Accesses = 0;
    for (const Operation &Op : Small) {
      Accesses += isAccess(Op.Kind);
      EXPECT_EQ(Op.Size, 1u);
      EXPECT_EQ(Op.Target, 0x10u);
      EXPECT_LT(Op.Thread, 2u);
      EXPECT_EQ(Op.Order, MemoryOrder::Relaxed);
    }
    EXPECT_EQ(Accesses, 2u);
    EXPECT_TRUE(Small.size() == 2 || countKind(Small, OpKind::Free) == 1);
  }
  EXPECT_GT(Racy, 20u);
}

TEST(Shrink, KeepsWhatBelongsToAFailure) {
  const auto Fails = [](const Trace &T) {
    return accessesBetween(T, OpKind::Acquire, OpKind::Release);
  };
  const Trace Small = shrinkChecked(noiseWith(Fails), Fails);
  ASSERT_EQ(Small.size(), 3u);
  EXPECT_EQ(Small[0].Kind, OpKind::Acquire);
  EXPECT_TRUE(isAccess(Small[1].Kind));
  EXPECT_EQ(Small[2].Kind, OpKind::Release);
  for (const Operation &Op : Small)
    EXPECT_EQ(Op.Thread, 0u);
}

TEST(Shrink, WaitNeedsItsLock) {
  const auto Fails = [](const Trace &T) { return countKind(T, OpKind::Wake) >= 2; };
  const Trace Small = shrinkChecked(noiseWith(Fails), Fails);
  // One thread after the other, or the second one while the first one waits.
  EXPECT_LE(Small.size(), 7u);
  EXPECT_EQ(countKind(Small, OpKind::Wait), 2u);
  EXPECT_EQ(countKind(Small, OpKind::Wake), 2u);
  EXPECT_EQ(countKind(Small, OpKind::Acquire) + 4 + countKind(Small, OpKind::Release),
            Small.size());
}

TEST(Shrink, JoinNeedsAnOperationOfTheThread) {
  const auto Fails = [](const Trace &T) {
    return llvm::any_of(T, [](const Operation &Op) { return Op.Kind == OpKind::Join; });
  };
  const Trace Small = shrinkChecked(noiseWith(Fails), Fails);
  ASSERT_EQ(Small.size(), 2u);
  EXPECT_EQ(Small[1].Kind, OpKind::Join);
  EXPECT_EQ(Small[1].Target, Small[0].Thread);
}

TEST(Shrink, BarriersLoseTheirRounds) {
  const auto Fails = [](const Trace &T) { return countKind(T, OpKind::Depart) >= 3; };
  const Trace Small = shrinkChecked(noiseWith(Fails), Fails);
  using enum OpKind;
  EXPECT_EQ(kinds(Small), (std::vector{Arrive, Depart, Arrive, Depart, Arrive, Depart}));
  for (const Operation &Op : Small) {
    EXPECT_EQ(Op.Thread, 0u);
    EXPECT_EQ(Op.Target, 0u);
  }
}

TEST(Shrink, PairsGoTogether) {
  // Neither of rel and acq in the middle can go alone, nor wait or wake.
  const Trace Long = TraceBuilder()
                         .acq(0, 0)
                         .write(0, 0x10)
                         .rel(0, 0)
                         .acq(0, 0)
                         .wait(0, 0, 0)
                         .wake(0, 0, 0)
                         .write(0, 0x20)
                         .rel(0, 0);
  const auto Fails = [](const Trace &T) {
    return T.size() >= 3 && T.front().Kind == OpKind::Acquire && T.back().Kind == OpKind::Release &&
           countKind(T, OpKind::Write) == 2;
  };
  const Trace Small = shrinkChecked(Long, Fails);
  using enum OpKind;
  EXPECT_EQ(kinds(Small), (std::vector{Acquire, Write, Write, Release}));
}

TEST(Shrink, ThreadsAndLocationsMerge) {
  const Trace Long = TraceBuilder()
                         .fork(0, 3)
                         .fork(3, 7)
                         .write(3, 0x4000, 8)
                         .write(7, 0x5004, 4)
                         .write(0, 0x4003, 2)
                         .join(0, 7)
                         .join(0, 3);
  const auto Fails = [](const Trace &T) { return countKind(T, OpKind::Write) >= 3; };
  const Trace Small = shrinkChecked(Long, Fails);
  EXPECT_EQ(Small, Trace(TraceBuilder().write(0, 0x10).write(0, 0x10).write(0, 0x10)));
}

TEST(Shrink, SizesOfAllocationsStayConsistent) {
  const Trace Long = TraceBuilder()
                         .alloc(0, 0x100, 640)
                         .read(0, 0x180, 8)
                         .free(0, 0x100, 640)
                         .alloc(0, 0x100, 32)
                         .free(0, 0x100, 32);
  const auto Fails = [](const Trace &T) {
    return llvm::any_of(
        T, [](const Operation &Op) { return Op.Kind == OpKind::Free && Op.Size >= 5; });
  };
  const Trace Small = shrinkChecked(Long, Fails);
  EXPECT_EQ(Small, Trace(TraceBuilder().alloc(0, 0x10, 5).free(0, 0x10, 5)));
}

TEST(Shrink, DistancesThatMatterStay) {
  // Fails on overlapping accesses of different starts: they have to stay different.
  const Trace Long = TraceBuilder().write(0, 0x7004, 8).read(1, 0x7008, 8).write(2, 0x9000, 4);
  const auto Fails = [](const Trace &T) {
    for (const Operation &A : T)
      for (const Operation &B : T)
        if (A.Target < B.Target && B.Target < A.Target + A.Size)
          return true;
    return false;
  };
  const Trace Small = shrinkChecked(Long, Fails);
  ASSERT_EQ(Small.size(), 2u);
  EXPECT_LT(Small[0].Target, 0x20u);
  EXPECT_EQ(Small[1].Size, 1u);
}

TEST(Shrink, TheResultIsMinimal) {
  // A failure without much structure: at least three racy pairs, one with an atomic.
  const auto Fails = [](const Trace &T) {
    const OracleResult R = runOracle(T);
    return R.Races.size() >= 3 && llvm::any_of(R.Races, [&](auto Pair) {
             return isAtomicAccess(T[Pair.first].Kind) || isAtomicAccess(T[Pair.second].Kind);
           });
  };
  unsigned Tried = 0;
  for (uint64_t Seed = 1; Seed <= 60; ++Seed) {
    SCOPED_TRACE(Seed);
    const Trace Long = noise(Seed);
    if (!Fails(Long))
      continue;
    ++Tried;
    const Trace Small = shrinkChecked(Long, Fails);
    EXPECT_LE(Small.size(), 5u);
    for (size_t I = 0; I < Small.size(); ++I) {
      Trace Less = Small;
      Less.erase(Less.begin() + long(I));
      EXPECT_FALSE(isFeasible(Less) && Fails(Less)) << "operation " << I << " is not needed";
    }
    EXPECT_EQ(shrink(Small, Fails), Small);
  }
  EXPECT_GT(Tried, 5u);
}

TEST(Shrink, SitesStayWithTheirOperations) {
  const Trace Long =
      TraceBuilder().read(0, 0x10).at(1).write(1, 0x20).at(2).write(2, 0x20).at(3).read(0, 0).at(4);
  const Trace Small = shrinkChecked(Long, [](const Trace &T) { return runOracle(T).hasRace(); });
  EXPECT_EQ(Small, Trace(TraceBuilder().write(0, 0x10).at(2).write(1, 0x10).at(3)));
}

TEST(Shrink, TheEmptyTraceMayFail) {
  EXPECT_TRUE(shrinkChecked(noise(1), [](const Trace &) { return true; }).empty());
}
