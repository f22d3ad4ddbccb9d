//===- trace_generate.cpp - photofinish trace generate --------------------===//

#include "driver/trace_command.h"
#include "driver/trace_output.h"
#include "trace/generator.h"

namespace photofinish {

/// One option for every field of GeneratorOptions, in the same order.
static void declareOptions(CommandLine &Line, GeneratorOptions &O) {
  Line.number("seed", O.Seed, "another seed, another trace");
  Line.number("operations", O.Operations, "the trace is no longer than this");
  Line.flag("finish", O.Finish, "just stop, with locks held and threads running");
  Line.flag("finish-runs", O.FinishRuns,
            "with finish: the last run of each thread is made to its end");

  Line.number("threads", O.Threads, "threads over the whole trace");
  Line.choice("model", O.Model,
              {{"present", ThreadModel::Present},
               {"forked", ThreadModel::Forked},
               {"dynamic", ThreadModel::Dynamic}},
              "threads are simply there, forked by T0, forked by anybody (forked)");
  Line.number("start-exit", O.StartExit, "% of threads that begin with start and end with exit");
  Line.number("burst", O.Burst, "operations in a row by one thread, on average");

  Line.number("locks", O.Locks, "locks");
  Line.number("nesting", O.Nesting, "% of critical sections with a second lock");
  Line.flag("read-locks", O.ReadLocks, "sections that only read may take their lock shared");
  Line.number("conditions", O.Conditions, "condition variables");
  Line.number("barriers", O.Barriers, "barriers");
  Line.number("once", O.Once, "once-objects");
  Line.number("atomics", O.Atomics, "atomic variables: all orders, fences, flags");

  Line.number("variables", O.Variables, "scalars of 1 to 16 bytes");
  Line.flag("mixed-sizes", O.MixedSizes, "no partial or overlapping accesses of scalars");
  Line.number("arrays", O.Arrays, "arrays");
  Line.flag("allocated", O.Allocated, "arrays are just used, at numeric addresses");
  Line.number("array-size", O.ArraySize, "elements of an array");
  Line.number("element-size", O.ElementSize, "bytes of an element");
  std::vector<std::pair<std::string, Pattern>> Patterns;
  for (unsigned I = 0; I < NumPatterns; ++I)
    Patterns.emplace_back(patternName(Pattern(I)), Pattern(I));
  Line.choice("array-pattern", O.ArrayPattern, Patterns,
              std::string("how a run goes through an array (") + patternName(O.ArrayPattern) + ")");
  Line.number("parts", O.Parts, "blocks of a block run, step of a stride run; 0: varies");
  Line.number("odd-accesses", O.OddAccesses,
              "% of array accesses to part of an element or several");
  Line.number("array-percent", O.ArrayPercent, "% of runs that go to arrays");
  Line.number("initialise", O.Initialise, "% of objects that T0 writes before its first fork");
  Line.flag("alloc-free", O.AllocFree, "arrays are freed and allocated again");

  Line.number("access-percent", O.AccessPercent, "% of operations that access memory");
  Line.number("write-percent", O.WritePercent, "% of plain accesses that write");
  Line.flag("mixed-runs", O.MixedRuns, "every run only reads or only writes");
  Line.number("discipline", O.Discipline, "100: race-free; 0: locks at random or not at all");

  Line.flag("unique-sites", O.UniqueSites, "every operation has a location of its own");
  Line.number("sites", O.Sites, "distinct source locations, 0: none");
  Line.number("sites-per-pattern", O.SitesPerPattern, "locations that one run alternates between");
}

ExitCode runTraceGenerate(Words Given) {
  CommandLine Line("photofinish trace generate", "[--seed=N]",
                   "Prints a random feasible trace. The same options give the same trace.");
  GeneratorOptions Options;
  bool Binary = false;
  declareOptions(Line, Options);
  Line.flag("binary", Binary, "in the binary format");
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  if (!Line.operands().empty())
    return Line.fail("'" + Line.operands()[0] +
                     "' is no option; the trace goes to standard output");

  Generator Source(Options);
  if (llvm::Error E =
          copyToStandardOutput(Source, Binary ? TraceFormat::Binary : TraceFormat::Text))
    return Line.fail(llvm::toString(std::move(E)));
  return ExitCode::Clean;
}

} // namespace photofinish
