//===- generator.cpp - Random feasible traces ------------------------------===//
//
// The generator as a source of operations, and ready-made options: small programs of
// every kind for differential tests, large regular ones for measurements. The
// simulation is in random_program.h.
//
//===----------------------------------------------------------------------===//

#include "trace/generator.h"

#include "trace/random_program.h"

#include <algorithm>

using namespace photofinish;
using namespace photofinish::program;

const char *photofinish::patternName(Pattern P) {
  static constexpr const char *Names[NumPatterns] = {"sweep",  "block",  "stride",
                                                     "prefix", "random", "mix"};
  return Names[unsigned(P)];
}

Generator::Generator(const GeneratorOptions &Options)
    : Program(std::make_unique<RandomProgram>(Options)) {}

Generator::~Generator() = default;

llvm::Expected<bool> Generator::next(Operation &Op) { return Program->next(Op); }

const SymbolTable &Generator::symbols() const { return Program->Symbols; }

std::string Generator::position() const { return "operation " + std::to_string(Program->Emitted); }

double Generator::progress() const {
  return Program->O.Operations ? double(Program->Emitted) / double(Program->O.Operations) : 1;
}

Trace photofinish::generate(const GeneratorOptions &Options) {
  RandomProgram Program(Options);
  Trace Ops;
  for (Operation Op; Program.next(Op);)
    Ops.push_back(Op);
  return Ops;
}

GeneratorOptions photofinish::randomSmallOptions(uint64_t Seed) {
  Prng Rng(Seed);
  GeneratorOptions O;
  O.Seed = Rng.next();
  O.UniqueSites = true;
  O.Operations = Rng.between(8, Rng.pick({30u, 60u, 120u, 120u}));
  O.Finish = Rng.percent(25);

  O.Threads = Rng.between(2, Rng.pick({2u, 3u, 4u, 6u}));
  O.Model = Rng.pick(
      {ThreadModel::Present, ThreadModel::Forked, ThreadModel::Forked, ThreadModel::Dynamic});
  O.StartExit = Rng.pick({0u, 0u, 50u, 100u});
  O.Burst = Rng.pick({1u, 1u, 2u, 4u});
  O.Locks = Rng.between(1, 4);
  O.Nesting = Rng.pick({0u, 20u, 60u});

  // A third of the programs use nothing but locks: that is what most programs do, and
  // the papers' rules are about.
  if (Rng.percent(67)) {
    const auto Some = [&](unsigned Most) { return Rng.percent(35) ? Rng.between(1, Most) : 0; };
    O.ReadLocks = Rng.percent(35);
    O.Conditions = Some(2);
    O.Barriers = Some(2);
    O.Once = Some(2);
    O.Atomics = Some(3);
    O.AllocFree = Rng.percent(35);
  }

  // Few objects, so that conflicts are likely; at least one.
  O.Variables = Rng.between(0, 3);
  O.Arrays = Rng.between(O.Variables ? 0 : 1, 2);
  O.MixedSizes = Rng.percent(50);
  // Around the size below which small arrays are not compressed, and well above it.
  O.ArraySize = Rng.pick(
      {Rng.between(4, 8), 8u, Rng.between(9, 20), 16u, 16u, 24u, 32u, Rng.between(17, 64)});
  O.ElementSize = Rng.pick({1u, 2u, 4u, 8u, Rng.between(1, 8)});
  O.ArrayPattern = Pattern(Rng.below(NumPatterns));
  O.Parts = Rng.pick({0u, 2u, 4u, Rng.between(2, 8)});
  O.OddAccesses = Rng.pick({0u, 0u, 10u, 40u});
  O.ArrayPercent = Rng.pick({30u, 50u, 80u});
  O.Allocated = Rng.percent(85);
  O.Initialise = Rng.pick({0u, 0u, 0u, 50u});

  O.AccessPercent = Rng.between(40, 95);
  O.WritePercent = Rng.pick({10u, 40u, 40u, 70u, 100u});
  O.Discipline = Rng.pick({0u, 0u, 30u, 50u, 70u, 90u, 100u});
  return O;
}

GeneratorOptions photofinish::patternOptions(Pattern P, uint64_t Operations, unsigned Threads,
                                             unsigned ArraySize, uint64_t Seed) {
  GeneratorOptions O;
  O.Seed = Seed;
  O.Operations = Operations;
  O.Threads = Threads;
  O.Discipline = 100;
  O.Burst = 8;
  O.Variables = 8;
  O.Arrays = 2 * Threads;
  O.Locks = O.Arrays + O.Variables; // a lock each, so that runs of different threads overlap
  O.Nesting = 0;
  O.ArraySize = ArraySize;
  O.ElementSize = 8;
  O.ArrayPattern = P;
  O.Parts = Threads;
  O.ArrayPercent = 90;
  O.Initialise = P == Pattern::Prefix ? 0 : 50;
  // Phases hand out as many parts as a round happens to have members: other blocks and
  // strides every time.
  O.Barriers = P == Pattern::Block || P == Pattern::Stride ? 0 : 1;
  // A large buffer of which the first few elements are used. Of odd length: for an even one
  // Table I of slimstate.txt finds blocks before it finds a prefix.
  if (P == Pattern::Prefix)
    O.ArraySize = 4 * ArraySize - 3;
  O.AccessPercent = 90;
  // A sweep that reads here and writes there is no pattern.
  O.MixedRuns = P == Pattern::Random || P == Pattern::Mix;
  O.FinishRuns = true;
  return O;
}
