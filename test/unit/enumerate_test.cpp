//===- enumerate_test.cpp - All small traces, counted twice ----------------===//
//
// The enumeration is compared with the obvious one: all sequences over the whole
// alphabet, of which the feasible ones with names in order of first appearance stay.
//
//===----------------------------------------------------------------------===//

#include "trace/enumerate.h"

#include "trace/feasibility.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

using namespace photofinish;

namespace {

constexpr uint64_t Base = EnumerateOptions::FirstLocation;

std::string key(const Trace &Ops) {
  std::string Key;
  for (const Operation &Op : Ops)
    for (uint64_t Field : {uint64_t(Op.Kind), uint64_t(Op.Order), uint64_t(Op.Thread), Op.Target})
      Key += char('0' + Field);
  return Key;
}

/// Every operation that the options allow, whatever the state.
std::vector<Operation> alphabet(const EnumerateOptions &O) {
  std::vector<Operation> All;
  const auto Add = [&](ThreadId T, OpKind Kind, uint64_t Target, uint64_t Size = 0,
                       MemoryOrder Order = MemoryOrder::Relaxed) {
    Operation Op;
    Op.Kind = Kind;
    Op.Order = Order;
    Op.Thread = T;
    Op.Target = Target;
    Op.Size = Size;
    All.push_back(Op);
  };
  for (ThreadId T = 0; T < O.Threads; ++T) {
    for (uint64_t X = Base; X < Base + O.Locations; ++X) {
      Add(T, OpKind::Read, X, 1);
      Add(T, OpKind::Write, X, 1);
      if (O.Atomics) {
        Add(T, OpKind::AtomicLoad, X, 1, MemoryOrder::Relaxed);
        Add(T, OpKind::AtomicLoad, X, 1, MemoryOrder::Acquire);
        Add(T, OpKind::AtomicStore, X, 1, MemoryOrder::Relaxed);
        Add(T, OpKind::AtomicStore, X, 1, MemoryOrder::Release);
        Add(T, OpKind::AtomicRmw, X, 1, MemoryOrder::Relaxed);
        Add(T, OpKind::AtomicRmw, X, 1, MemoryOrder::AcqRel);
      }
    }
    for (uint64_t M = 0; M < O.Locks; ++M) {
      Add(T, OpKind::Acquire, M);
      Add(T, OpKind::Release, M);
      if (O.ReadLocks) {
        Add(T, OpKind::ReadLock, M);
        Add(T, OpKind::ReadUnlock, M);
      }
    }
    if (O.ForkJoin)
      for (uint64_t U = 0; U < O.Threads; ++U) {
        Add(T, OpKind::Fork, U);
        Add(T, OpKind::Join, U);
      }
  }
  return All;
}

bool isCanonical(const Trace &Ops) {
  uint64_t Threads = 0, Locks = 0, Locations = 0;
  const auto InOrder = [](uint64_t &Used, uint64_t Index) {
    Used += Index == Used;
    return Index < Used;
  };
  return llvm::all_of(Ops, [&](const Operation &Op) {
    if (!InOrder(Threads, Op.Thread))
      return false;
    switch (opInfo(Op.Kind).Target) {
    case TargetKind::Thread:
      return InOrder(Threads, Op.Target);
    case TargetKind::Lock:
      return InOrder(Locks, Op.Target);
    default:
      return InOrder(Locations, Op.Target - Base);
    }
  });
}

void enumerateNaively(const std::vector<Operation> &Alphabet, unsigned Left, Trace &Ops,
                      std::set<std::string> &Found) {
  for (const Operation &Op : Alphabet) {
    Ops.push_back(Op);
    if (isFeasible(Ops) && isCanonical(Ops)) {
      Found.insert(key(Ops));
      if (Left > 1)
        enumerateNaively(Alphabet, Left - 1, Ops, Found);
    }
    Ops.pop_back();
  }
}

uint64_t count(const EnumerateOptions &O) {
  return enumerate(O, [](const Trace &) { return true; });
}

} // namespace

struct Alphabet {
  unsigned Threads, Locks, Locations, MaxOperations;
  bool ForkJoin, ReadLocks, Atomics;
};

class EnumerateTest : public testing::TestWithParam<Alphabet> {};

TEST_P(EnumerateTest, VisitsExactlyTheCanonicalFeasibleTraces) {
  const Alphabet &P = GetParam();
  EnumerateOptions O;
  O.Threads = P.Threads;
  O.Locks = P.Locks;
  O.Locations = P.Locations;
  O.MaxOperations = P.MaxOperations;
  O.ForkJoin = P.ForkJoin;
  O.ReadLocks = P.ReadLocks;
  O.Atomics = P.Atomics;

  std::set<std::string> Expected;
  Trace Ops;
  enumerateNaively(alphabet(O), O.MaxOperations, Ops, Expected);

  std::set<std::string> Visited;
  const uint64_t Count = enumerate(O, [&](const Trace &T) {
    EXPECT_TRUE(Visited.insert(key(T)).second) << "visited twice";
    return true;
  });
  EXPECT_EQ(Count, Visited.size());
  EXPECT_EQ(Visited, Expected);
}

INSTANTIATE_TEST_SUITE_P(Alphabets, EnumerateTest,
                         testing::Values(Alphabet{1, 1, 1, 5, false, false, false},
                                         Alphabet{2, 1, 1, 5, false, false, false},
                                         Alphabet{2, 2, 2, 4, false, false, false},
                                         Alphabet{3, 1, 1, 5, true, false, false},
                                         Alphabet{3, 0, 1, 5, true, false, false},
                                         Alphabet{2, 1, 1, 5, false, true, false},
                                         Alphabet{3, 2, 0, 4, true, true, false},
                                         Alphabet{2, 0, 2, 3, false, false, true},
                                         Alphabet{2, 1, 1, 4, true, true, true}));

TEST(Enumerate, CountsThatCanBeDoneByHand) {
  EnumerateOptions O;
  O.Threads = 1;
  O.Locks = 0;
  O.Locations = 1;
  O.MaxOperations = 3;
  EXPECT_EQ(count(O), 2u + 4u + 8u); // r or w, each time
  O.Threads = 2;
  EXPECT_EQ(count(O), 2u + 2u * 4u + 2u * 4u * 4u); // T0 first, then r or w by either
  O.Locations = 0;
  O.Locks = 1;
  // acq; then only its rel; then an acq by T0 or T1.
  EXPECT_EQ(count(O), 1u + 1u + 2u);
}

TEST(Enumerate, KnownSizes) {
  EnumerateOptions O;
  O.Threads = O.Locks = O.Locations = 2;
  O.MaxOperations = 6;
  EXPECT_EQ(count(O), 342'498u);
  O.ForkJoin = true;
  EXPECT_EQ(count(O), 643'856u);
}

TEST(Enumerate, PrefixesComeFirstAndAreExtendedOnRequestOnly) {
  EnumerateOptions O;
  O.Threads = 2;
  O.Locks = 1;
  O.Locations = 1;
  O.MaxOperations = 5;
  const auto Ends = [](const Trace &T) { return T.back().Kind == OpKind::Write; };
  std::set<std::string> Seen = {""};
  enumerate(O, [&](const Trace &T) {
    const Trace Prefix(T.begin(), T.end() - 1);
    EXPECT_TRUE(Seen.count(key(Prefix)));
    EXPECT_TRUE(Prefix.empty() || !Ends(Prefix)) << "extended though nobody asked for it";
    EXPECT_EQ(T.back().Site, T.size());
    Seen.insert(key(T));
    return !Ends(T);
  });
  EXPECT_GT(Seen.size(), 100u);
}

TEST(Enumerate, NothingToDo) {
  EnumerateOptions O;
  O.MaxOperations = 0;
  EXPECT_EQ(count(O), 0u);
  O.MaxOperations = 3;
  O.Locks = O.Locations = 0;
  EXPECT_EQ(count(O), 0u);
}
