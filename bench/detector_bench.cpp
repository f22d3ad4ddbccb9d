//===- detector_bench.cpp - Entry point of ./dev bench detectors ----------------------------===//
//
//   detector_bench [--events=N] [--dir=DIR] [--micro] [Google Benchmark's options]
//
// The detectors on a long trace; with --micro, the parts one by one instead.
//
//===----------------------------------------------------------------------===//

#include "bench/trace_bench.h"

#include "benchmark/benchmark.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace photofinish;

int main(int Argc, char **Argv) {
  TraceBenchOptions Options;
  Options.Directory = "build/bench";
  bool Micro = false;
  std::vector<char *> Rest;
  for (int I = 0; I < Argc; ++I) {
    llvm::StringRef Arg = Argv[I];
    if (Arg.consume_front("--dir=")) {
      Options.Directory = Arg.str();
    } else if (Arg == "--micro") {
      Micro = true;
    } else if (Arg.consume_front("--events=")) {
      if (Arg.getAsInteger(10, Options.Events) || Options.Events < 1000) {
        llvm::errs() << "detector_bench: --events takes a number from 1000 on, not '" << Arg
                     << "'\n";
        return 2;
      }
    } else {
      Rest.push_back(Argv[I]);
    }
  }
  int RestCount = int(Rest.size());
  benchmark::Initialize(&RestCount, Rest.data());
  if (benchmark::ReportUnrecognizedArguments(RestCount, Rest.data()))
    return 2;
  if (!Micro)
    return runTraceBench(Options) ? 0 : 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
