//===- generator_test.cpp - Random traces are what their options say -------===//

#include "trace/generator.h"

#include "trace/feasibility.h"
#include "trace/oracle.h"
#include "trace/text_format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

using namespace photofinish;

namespace {

/// All features at once.
GeneratorOptions everything(uint64_t Seed, uint64_t Operations) {
  GeneratorOptions O;
  O.Seed = Seed;
  O.Operations = Operations;
  O.Threads = 5;
  O.StartExit = 50;
  O.ReadLocks = O.AllocFree = true;
  O.Conditions = O.Barriers = O.Once = 2;
  O.Atomics = 4;
  O.Variables = 6;
  O.Arrays = 3;
  O.OddAccesses = 10;
  O.Initialise = 30;
  return O;
}

std::string text(const GeneratorOptions &Options) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  TextWriter Writer(OS, "text");
  Generator G(Options);
  for (Operation Op; cantFail(G.next(Op));)
    cantFail(Writer.write(Op, G.symbols()));
  cantFail(Writer.finish());
  return Text;
}

uint64_t fnv1a(llvm::StringRef Text) {
  uint64_t Hash = 0xcbf29ce484222325;
  for (char Byte : Text)
    Hash = (Hash ^ uint8_t(Byte)) * 0x100000001b3;
  return Hash;
}

/// How often each kind occurs.
std::array<uint64_t, NumOpKinds> histogram(const Trace &Ops) {
  std::array<uint64_t, NumOpKinds> Counts = {};
  for (const Operation &Op : Ops)
    ++Counts[unsigned(Op.Kind)];
  return Counts;
}

uint64_t countKind(const Trace &Ops, OpKind Kind) { return histogram(Ops)[unsigned(Kind)]; }

void expectFeasible(const GeneratorOptions &Options) {
  Generator G(Options);
  FeasibilityChecker Checker;
  uint64_t Count = 0;
  for (Operation Op; cantFail(G.next(Op)); ++Count)
    if (auto Problem = Checker.check(Op, G.symbols()))
      FAIL() << "operation " << Count << ": " << *Problem;
  EXPECT_LE(Count, Options.Operations);
}

double percentRacy(GeneratorOptions O, unsigned Traces) {
  unsigned Racy = 0;
  for (unsigned I = 0; I < Traces; ++I) {
    O.Seed = I;
    O.Operations = 10 + I % 111;
    Racy += runOracle(generate(O)).hasRace();
  }
  return 100.0 * Racy / Traces;
}

/// Element numbers that array accesses of one critical section touch, section by section.
/// One thread, one array, one lock, and so few accesses wanted that a section is one run.
std::vector<std::vector<uint64_t>> runsOf(Pattern P, unsigned Parts) {
  GeneratorOptions O;
  O.Operations = 4000;
  O.Finish = false;
  O.Threads = O.Locks = O.Arrays = 1;
  O.Variables = 0;
  O.ArraySize = 64;
  O.ElementSize = 8;
  O.ArrayPattern = P;
  O.Parts = Parts;
  O.AccessPercent = 30;
  O.Discipline = 100;
  Trace Ops = generate(O);
  const uint64_t Base = Ops.front().Target;
  std::vector<std::vector<uint64_t>> Runs;
  for (const Operation &Op : Ops) {
    if (Op.Kind == OpKind::Acquire)
      Runs.emplace_back();
    if (Op.Kind == OpKind::Read || Op.Kind == OpKind::Write) {
      EXPECT_EQ(Op.Size, 8u);
      EXPECT_EQ((Op.Target - Base) % 8, 0u);
      Runs.back().push_back((Op.Target - Base) / 8);
    }
  }
  Runs.pop_back(); // cut off by the end of the trace
  llvm::erase_if(Runs, [](const auto &R) { return R.empty(); });
  EXPECT_GT(Runs.size(), 10u);
  return Runs;
}

/// First, first + Step, ..., or the same backwards.
bool isRange(std::vector<uint64_t> Run, uint64_t First, uint64_t Step, size_t Count) {
  if (Run.size() > 1 && Run[0] > Run[1])
    std::reverse(Run.begin(), Run.end());
  std::vector<uint64_t> Expected;
  for (size_t I = 0; I < Count; ++I)
    Expected.push_back(First + I * Step);
  return Run == Expected;
}

} // namespace

//===----------------------------------------------------------------------===//
// Determinism
//===----------------------------------------------------------------------===//

TEST(Generator, SameOptionsSameTrace) {
  for (uint64_t Seed = 0; Seed < 50; ++Seed)
    EXPECT_EQ(generate(randomSmallOptions(Seed)), generate(randomSmallOptions(Seed)));
  EXPECT_NE(generate(everything(1, 500)), generate(everything(2, 500)));
}

// Another machine, compiler or library must not change a trace that somebody has
// reported by its seed. A deliberate change of the generator changes these.
TEST(Generator, TracesAreTheSameEverywhere) {
  EXPECT_EQ(fnv1a(text(everything(1, 1000))), 0x29bf9e2cf8689effu);
  EXPECT_EQ(fnv1a(text(patternOptions(Pattern::Mix, 50000, 8, 256))), 0xc4c47d83a486ea95u);

  GeneratorOptions O;
  O.Seed = 3;
  O.Operations = 24;
  O.Threads = 2;
  O.Locks = 1;
  O.Variables = 1;
  O.ArraySize = 4;
  O.ArrayPattern = Pattern::Sweep;
  O.Discipline = 100;
  // T0 allocates and forks; each section is about one lock; T1 sweeps all of a0 under
  // it; the end of the budget cuts T0's sweep short, but not its rel, nor the join.
  EXPECT_EQ(text(O), "T0|alloc(a0,16)|prog.c:31\n"
                     "T0|fork(T1)|prog.c:51\n"
                     "T0|acq(m0)|prog.c:44\n"
                     "T0|w(v0,8,8)|prog.c:62\n"
                     "T0|r(v0)|prog.c:2\n"
                     "T0|r(v0,4)|prog.c:1\n"
                     "T0|rel(m0)|prog.c:6\n"
                     "T1|acq(m0)|prog.c:44\n"
                     "T1|w(v0,4)|prog.c:62\n"
                     "T1|r(a0,4)|prog.c:43\n"
                     "T1|r(a0,4,4)|prog.c:42\n"
                     "T1|r(a0,8,4)|prog.c:43\n"
                     "T1|r(a0,12,4)|prog.c:42\n"
                     "T1|rel(m0)|prog.c:6\n"
                     "T0|acq(m0)|prog.c:44\n"
                     "T0|rel(m0)|prog.c:6\n"
                     "T0|acq(m0)|prog.c:44\n"
                     "T0|r(a0,4)|prog.c:43\n"
                     "T0|rel(m0)|prog.c:6\n"
                     "T0|join(T1)|prog.c:12\n");
}

TEST(Generator, NextDeliversWhatGenerateCollects) {
  const GeneratorOptions O = everything(5, 300);
  Generator G(O);
  EXPECT_EQ(G.progress(), 0);
  Trace Ops;
  for (Operation Op; cantFail(G.next(Op));) {
    Ops.push_back(Op);
    EXPECT_EQ(G.position(), "operation " + std::to_string(Ops.size()));
  }
  EXPECT_EQ(Ops, generate(O));
  EXPECT_GT(G.progress(), 0.95);
  Operation Op;
  EXPECT_FALSE(cantFail(G.next(Op))) << "over is over";
}

//===----------------------------------------------------------------------===//
// Feasibility and discipline
//===----------------------------------------------------------------------===//

TEST(Generator, SmallTracesAreFeasible) {
  for (uint64_t Seed = 0; Seed < 5000; ++Seed) {
    SCOPED_TRACE(Seed);
    expectFeasible(randomSmallOptions(Seed));
  }
}

TEST(Generator, LongTracesAreFeasible) {
  for (ThreadModel Model : {ThreadModel::Present, ThreadModel::Forked, ThreadModel::Dynamic})
    for (unsigned Discipline : {0u, 50u, 100u})
      for (unsigned Threads : {1u, 2u, 5u, 40u}) {
        GeneratorOptions O = everything(Discipline + Threads, 20000);
        O.Model = Model;
        O.Threads = Threads;
        O.Discipline = Discipline;
        expectFeasible(O);
      }
}

TEST(Generator, ExtremeOptionsAreFeasible) {
  GeneratorOptions Nothing;
  Nothing.Variables = Nothing.Arrays = Nothing.Locks = 0;
  expectFeasible(Nothing);
  EXPECT_EQ(histogram(generate(Nothing))[unsigned(OpKind::Fork)], 3u);

  for (uint64_t Seed = 0; Seed < 300; ++Seed) {
    SCOPED_TRACE(Seed);
    GeneratorOptions O = everything(Seed, Seed % 40);
    O.Model = ThreadModel(Seed % 3);
    O.Threads = Seed % 7;
    O.Locks = Seed % 2;
    O.AccessPercent = Seed % 11 * 10;
    O.WritePercent = Seed % 2 * 100;
    O.ArraySize = Seed % 3;
    O.ElementSize = Seed % 4;
    O.Parts = unsigned(Seed % 5) * 100;
    O.Burst = Seed % 3;
    O.Finish = Seed % 2;
    expectFeasible(O);
  }
}

TEST(Generator, FullDisciplineIsRaceFree) {
  for (uint64_t Seed = 0; Seed < 5000; ++Seed) {
    SCOPED_TRACE(Seed);
    GeneratorOptions O = randomSmallOptions(Seed);
    O.Discipline = 100;
    EXPECT_FALSE(runOracle(generate(O)).hasRace());
  }
  for (uint64_t Seed = 0; Seed < 60; ++Seed) {
    SCOPED_TRACE(Seed);
    GeneratorOptions O = everything(Seed, 1500);
    O.Model = ThreadModel(Seed % 3);
    O.Discipline = 100;
    O.ArrayPattern = Pattern(Seed % NumPatterns);
    EXPECT_FALSE(runOracle(generate(O)).hasRace());
  }
}

// Phases only, and threads that come and go: a thread may leave in a round only.
TEST(Generator, PhasesWithChangingMembersAreRaceFree) {
  unsigned Left = 0;
  for (uint64_t Seed = 0; Seed < 200; ++Seed) {
    SCOPED_TRACE(Seed);
    GeneratorOptions O;
    O.Seed = Seed;
    O.Operations = 600;
    O.Model = ThreadModel::Dynamic;
    O.Threads = 12;
    O.Locks = 0;
    O.Barriers = 3;
    O.AccessPercent = 40;
    O.Discipline = 100;
    const Trace Ops = generate(O);
    EXPECT_FALSE(runOracle(Ops).hasRace());
    for (size_t I = 0; I < Ops.size() / 2; ++I)
      Left += Ops[I].Kind == OpKind::Join;
  }
  EXPECT_GT(Left, 100u);
}

TEST(Generator, TheLessDisciplineTheMoreRaces) {
  GeneratorOptions O;
  double Before = 100;
  for (unsigned Discipline : {0u, 50u, 90u, 100u}) {
    O.Discipline = Discipline;
    const double Racy = percentRacy(O, 600);
    EXPECT_LT(Racy, Before);
    Before = Racy;
    if (Discipline == 0)
      EXPECT_GT(Racy, 65);
    if (Discipline == 50)
      EXPECT_GT(Racy, 50);
    if (Discipline == 90)
      EXPECT_GT(Racy, 5);
  }
}

TEST(Generator, SmallOptionsCoverEverything) {
  std::array<uint64_t, NumOpKinds> Kinds = {};
  std::set<std::pair<OpKind, MemoryOrder>> Orders;
  std::set<unsigned> Threads, Disciplines, Sizes;
  unsigned Racy = 0, OnlyLocks = 0, LargeArrays = 0;
  constexpr unsigned Traces = 2000;
  for (uint64_t Seed = 0; Seed < Traces; ++Seed) {
    const GeneratorOptions O = randomSmallOptions(Seed);
    EXPECT_TRUE(O.Operations >= 8 && O.Operations <= 120);
    EXPECT_TRUE(O.Locks >= 1 && O.Locks <= 4);
    EXPECT_TRUE(O.ArraySize >= 4 && O.ArraySize <= 64);
    EXPECT_TRUE(O.ElementSize >= 1 && O.ElementSize <= 8);
    Threads.insert(O.Threads);
    Disciplines.insert(O.Discipline);
    LargeArrays += O.Arrays && O.ArraySize >= 16;
    OnlyLocks +=
        !O.ReadLocks && !O.AllocFree && O.Conditions + O.Barriers + O.Once + O.Atomics == 0;
    const Trace Ops = generate(O);
    Racy += runOracle(Ops).hasRace();
    for (const auto &[Index, Op] : llvm::enumerate(Ops)) {
      EXPECT_EQ(Op.Site, Index + 1);
      ++Kinds[unsigned(Op.Kind)];
      if (opInfo(Op.Kind).HasOrder)
        Orders.insert({Op.Kind, Op.Order});
      if (isAccess(Op.Kind) && Op.Kind != OpKind::Free)
        Sizes.insert(unsigned(Op.Size));
    }
  }
  for (unsigned Kind = 0; Kind < NumOpKinds; ++Kind)
    EXPECT_GT(Kinds[Kind], 100u) << opInfo(OpKind(Kind)).Name;
  EXPECT_EQ(Orders.size(), 4u + 3u + 6u + 5u); // loads, stores, read-modify-writes, fences
  EXPECT_EQ(Threads, (std::set{2u, 3u, 4u, 5u, 6u}));
  EXPECT_TRUE(Disciplines.count(0) && Disciplines.count(50) && Disciplines.count(100));
  for (unsigned Size : {1u, 2u, 3u, 4u, 8u, 16u})
    EXPECT_TRUE(Sizes.count(Size)) << Size;
  EXPECT_GT(OnlyLocks, Traces / 4);
  EXPECT_GT(LargeArrays, Traces / 4);
  EXPECT_GT(Racy, Traces / 3);
  EXPECT_LT(Racy, Traces * 2 / 3);
}

//===----------------------------------------------------------------------===//
// One knob at a time
//===----------------------------------------------------------------------===//

TEST(Generator, AFinishedTraceLeavesNothingOpen) {
  for (uint64_t Seed = 0; Seed < 300; ++Seed) {
    SCOPED_TRACE(Seed);
    GeneratorOptions O = everything(Seed, 150 + Seed);
    O.Model = ThreadModel(Seed % 3);
    O.StartExit = Seed % 2 * 100;
    const Trace Ops = generate(O);
    EXPECT_GT(Ops.size(), O.Operations - 10);
    std::map<ThreadId, int> Open;
    std::set<ThreadId> Ran, Joined, Exited;
    for (const Operation &Op : Ops) {
      Ran.insert(Op.Thread);
      switch (Op.Kind) {
      case OpKind::Acquire:
      case OpKind::ReadLock:
      case OpKind::Arrive:
        ++Open[Op.Thread];
        break;
      case OpKind::Release:
      case OpKind::ReadUnlock:
      case OpKind::Depart:
        --Open[Op.Thread];
        break;
      case OpKind::Join:
        Joined.insert(ThreadId(Op.Target));
        break;
      case OpKind::End:
        Exited.insert(Op.Thread);
        break;
      default:
        break;
      }
    }
    for (auto [T, Count] : Open)
      EXPECT_EQ(Count, 0) << "T" << T;
    EXPECT_EQ(countKind(Ops, OpKind::Wait), countKind(Ops, OpKind::Wake));
    EXPECT_EQ(Exited.size(), O.StartExit ? Ran.size() : 0);
    EXPECT_EQ(Joined.size(), O.Model == ThreadModel::Present ? 0 : Ran.size() - 1);
  }
}

TEST(Generator, UnfinishedTracesUseTheWholeBudget) {
  for (uint64_t Operations : {1u, 10u, 100u, 5000u}) {
    GeneratorOptions O = everything(1, Operations);
    O.Finish = false;
    EXPECT_EQ(generate(O).size(), Operations);
  }
}

TEST(Generator, NumbersOfObjects) {
  GeneratorOptions O = everything(3, 20000);
  O.Threads = 7;
  O.Locks = 5;
  O.Conditions = 3;
  O.Barriers = 4;
  O.Once = 6;
  Generator G(O);
  for (Operation Op; cantFail(G.next(Op));)
    ;
  const SymbolTable &S = G.symbols();
  EXPECT_EQ(S.count(NameKind::Thread), 7u);
  EXPECT_EQ(S.count(NameKind::Lock), 5u);
  EXPECT_EQ(S.count(NameKind::Condition), 3u);
  EXPECT_EQ(S.count(NameKind::Barrier), 4u);
  EXPECT_EQ(S.count(NameKind::Once), 6u);
  EXPECT_EQ(S.name(NameKind::Thread, 6), "T6");
  EXPECT_EQ(S.name(NameKind::Lock, 0), "m0");
  EXPECT_TRUE(S.lookUp("v5"));
  EXPECT_FALSE(S.lookUp("v6"));
  EXPECT_TRUE(S.lookUp("x3"));
  EXPECT_EQ(S.lookUp("a2")->Room, O.ArraySize * O.ElementSize);
}

TEST(Generator, FeaturesThatAreOffDoNotOccur) {
  const Trace Plain = generate(GeneratorOptions());
  using enum OpKind;
  for (OpKind Kind : {AtomicLoad, AtomicStore, AtomicRmw, Fence, ReadLock, ReadUnlock, Begin, End,
                      Wait, Wake, Notify, Arrive, Depart, Once, Free})
    EXPECT_EQ(countKind(Plain, Kind), 0u) << opInfo(Kind).Name;
  for (OpKind Kind : {Read, Write, Acquire, Release, Fork, Join, Allocate})
    EXPECT_GT(countKind(Plain, Kind), 0u) << opInfo(Kind).Name;

  const auto With = [](auto Change) {
    GeneratorOptions O;
    O.Operations = 3000;
    Change(O);
    return histogram(generate(O));
  };
  EXPECT_GT(With([](GeneratorOptions &O) { O.ReadLocks = true; })[unsigned(ReadLock)], 20u);
  EXPECT_GT(With([](GeneratorOptions &O) { O.Conditions = 1; })[unsigned(Wake)], 20u);
  EXPECT_GT(With([](GeneratorOptions &O) { O.Barriers = 1; })[unsigned(Depart)], 20u);
  EXPECT_GT(With([](GeneratorOptions &O) { O.Once = 1; })[unsigned(Once)], 20u);
  EXPECT_GT(With([](GeneratorOptions &O) { O.Atomics = 1; })[unsigned(AtomicRmw)], 20u);
  EXPECT_GT(With([](GeneratorOptions &O) { O.AllocFree = true; })[unsigned(Free)], 10u);
  EXPECT_EQ(With([](GeneratorOptions &O) { O.StartExit = 100; })[unsigned(Begin)], 4u);
}

TEST(Generator, ThreadModels) {
  GeneratorOptions O;
  O.Operations = 3000;
  O.Threads = 6;
  O.Model = ThreadModel::Present;
  Trace Ops = generate(O);
  EXPECT_EQ(countKind(Ops, OpKind::Fork) + countKind(Ops, OpKind::Join), 0u);

  O.Model = ThreadModel::Forked;
  Ops = generate(O);
  EXPECT_EQ(countKind(Ops, OpKind::Fork), 5u);
  EXPECT_EQ(countKind(Ops, OpKind::Join), 5u);
  for (const Operation &Op : Ops)
    EXPECT_TRUE((Op.Kind != OpKind::Fork && Op.Kind != OpKind::Join) || Op.Thread == 0);

  O.Model = ThreadModel::Dynamic;
  unsigned ForksByOthers = 0, LateForks = 0, EarlyJoins = 0;
  for (O.Seed = 0; O.Seed < 20; ++O.Seed)
    for (const auto &[Index, Op] : llvm::enumerate(generate(O))) {
      ForksByOthers += Op.Kind == OpKind::Fork && Op.Thread != 0;
      LateForks += Op.Kind == OpKind::Fork && Index > 500;
      EarlyJoins += Op.Kind == OpKind::Join && Index < 2500;
    }
  EXPECT_GT(ForksByOthers, 10u);
  EXPECT_GT(LateForks, 10u);
  EXPECT_GT(EarlyJoins, 10u);
}

TEST(Generator, SharesOfAccessesAndWrites) {
  for (unsigned Accesses : {50u, 70u, 95u})
    for (unsigned Writes : {0u, 30u, 80u, 100u}) {
      GeneratorOptions O;
      O.Operations = 50000;
      O.AccessPercent = Accesses;
      O.WritePercent = Writes;
      const auto Counts = histogram(generate(O));
      const double R = double(Counts[unsigned(OpKind::Read)]);
      const double W = double(Counts[unsigned(OpKind::Write)]);
      EXPECT_NEAR(100 * (R + W) / double(O.Operations), Accesses, 3);
      EXPECT_NEAR(100 * W / (R + W), Writes, 5);
    }
}

TEST(Generator, Patterns) {
  std::set<uint64_t> Starts;
  for (const auto &Run : runsOf(Pattern::Sweep, 4))
    EXPECT_TRUE(isRange(Run, 0, 1, 64));
  for (const auto &Run : runsOf(Pattern::Block, 4)) {
    const uint64_t First = *llvm::min_element(Run);
    Starts.insert(First);
    EXPECT_EQ(First % 16, 0u);
    EXPECT_TRUE(isRange(Run, First, 1, 16));
  }
  EXPECT_EQ(Starts, (std::set<uint64_t>{0, 16, 32, 48}));
  Starts.clear();
  for (const auto &Run : runsOf(Pattern::Stride, 4)) {
    const uint64_t First = *llvm::min_element(Run);
    Starts.insert(First);
    EXPECT_TRUE(isRange(Run, First, 4, 16));
  }
  EXPECT_EQ(Starts, (std::set<uint64_t>{0, 1, 2, 3}));
  for (const auto &Run : runsOf(Pattern::Prefix, 4)) {
    EXPECT_LE(Run.size(), 8u);
    EXPECT_TRUE(isRange(Run, 0, 1, Run.size()));
  }
  std::set<uint64_t> Touched;
  for (const auto &Run : runsOf(Pattern::Random, 4))
    Touched.insert(Run.begin(), Run.end());
  EXPECT_EQ(Touched.size(), 64u);
  std::set<size_t> Lengths;
  for (const auto &Run : runsOf(Pattern::Mix, 4))
    Lengths.insert(Run.size());
  EXPECT_TRUE(Lengths.count(64) && Lengths.count(16) && Lengths.count(1));
  Lengths.clear();
  for (const auto &Run : runsOf(Pattern::Block, 0))
    Lengths.insert(Run.size());
  EXPECT_GT(Lengths.size(), 4u);
}

TEST(Generator, RunsOfSeveralThreadsInterleave) {
  GeneratorOptions O = patternOptions(Pattern::Sweep, 20000, 4, 256);
  O.Burst = 1;
  O.MixedRuns = true; // the program that the bound below was set for
  Trace Ops = generate(O);
  unsigned Switches = 0;
  for (size_t I = 1; I < Ops.size(); ++I)
    Switches +=
        Ops[I].Thread != Ops[I - 1].Thread && isAccess(Ops[I].Kind) && isAccess(Ops[I - 1].Kind);
  EXPECT_GT(Switches, 5000u);
}

TEST(Generator, Sites) {
  GeneratorOptions O;
  O.Sites = 7;
  Generator G(O);
  std::set<SiteId> Sites;
  for (Operation Op; cantFail(G.next(Op));) {
    Sites.insert(Op.Site);
    EXPECT_EQ(G.symbols().name(NameKind::Site, Op.Site).find("prog.c:"), 0u);
  }
  EXPECT_EQ(Sites, (std::set<SiteId>{1, 2, 3, 4, 5, 6, 7}));

  O.Sites = 0;
  EXPECT_TRUE(llvm::all_of(generate(O), [](const Operation &Op) { return Op.Site == 0; }));

  // A sweep comes from as many sites as it should.
  O.Sites = 1000;
  O.Threads = O.Locks = 1;
  O.Variables = 0;
  O.ArrayPattern = Pattern::Sweep;
  O.WritePercent = 100;
  for (unsigned PerPattern : {1u, 3u}) {
    O.SitesPerPattern = PerPattern;
    Sites.clear();
    for (const Operation &Op : generate(O))
      if (Op.Kind == OpKind::Write)
        Sites.insert(Op.Site);
    EXPECT_EQ(Sites.size(), PerPattern);
  }
}

TEST(Generator, SizesOfAccesses) {
  const auto Sizes = [](const GeneratorOptions &O) {
    std::set<uint64_t> Found;
    for (const Operation &Op : generate(O))
      if (isAccess(Op.Kind))
        Found.insert(Op.Size);
    return Found;
  };
  GeneratorOptions O;
  O.Operations = 5000;
  O.Arrays = 0;
  O.Variables = 2;
  O.MixedSizes = false;
  EXPECT_EQ(Sizes(O), (std::set<uint64_t>{4, 8}));
  O.MixedSizes = true;
  EXPECT_EQ(Sizes(O), (std::set<uint64_t>{1, 2, 4, 8, 16}));
  O.Variables = 0;
  O.Arrays = 1;
  O.ElementSize = 6;
  EXPECT_EQ(Sizes(O), (std::set<uint64_t>{6}));
  O.OddAccesses = 30;
  EXPECT_EQ(Sizes(O), (std::set<uint64_t>{1, 2, 3, 4, 5, 6, 12, 18, 24}));
}

TEST(Generator, ArraysWithoutAllocation) {
  GeneratorOptions O = everything(1, 2000);
  O.Variables = O.Atomics = 0;
  O.Allocated = false;
  for (const Operation &Op : generate(O)) {
    EXPECT_NE(Op.Kind, OpKind::Allocate);
    EXPECT_NE(Op.Kind, OpKind::Free);
    EXPECT_LT(Op.Target, SymbolTable::NamedBase);
  }
}

TEST(Generator, InitialisationPrecedesTheFirstFork) {
  GeneratorOptions O;
  O.Initialise = 100;
  uint64_t Written = 0;
  for (const Operation &Op : generate(O)) {
    if (Op.Kind == OpKind::Fork)
      break;
    Written += Op.Kind == OpKind::Write;
  }
  EXPECT_GE(Written, O.Variables + O.ArraySize);
}

TEST(Generator, PatternOptionsAreRaceFreeAndRegular) {
  for (unsigned P = 0; P < NumPatterns; ++P) {
    SCOPED_TRACE(patternName(Pattern(P)));
    EXPECT_FALSE(runOracle(generate(patternOptions(Pattern(P), 1500, 3, 16))).hasRace());
    const GeneratorOptions O = patternOptions(Pattern(P), 200000);
    expectFeasible(O);
    const auto Counts = histogram(generate(O));
    EXPECT_GT(Counts[unsigned(OpKind::Read)] + Counts[unsigned(OpKind::Write)], 170000u);
  }
}

// What is written can be read back: same ids, same addresses, same sites.
TEST(Generator, TracesSurviveTheTextFormat) {
  for (uint64_t Seed = 0; Seed < 500; ++Seed) {
    SCOPED_TRACE(Seed);
    const GeneratorOptions O = Seed % 10 ? randomSmallOptions(Seed) : everything(Seed, 3000);
    const std::string Text = text(O);
    TextReader Reader(InputBuffer(std::make_unique<MemoryInput>(Text), "text"));
    Trace Read;
    for (Operation Op; cantFail(Reader.next(Op));)
      Read.push_back(Op);
    EXPECT_EQ(Read, generate(O));
  }
}
