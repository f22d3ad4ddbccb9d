//===- trace_bench.cpp - The offline detectors on a long trace ------------------===//
//
// A race-free program of eight threads, with scalars, arrays in all access patterns, locks,
// barriers and atomics, is generated once into a binary trace. Then every detector reads it
// from the disk, in a process of its own so that its peak memory is its own, and once more
// for the first tenth only: memory that depends on the program's size and not on the
// trace's length is the same for both.
//
//===----------------------------------------------------------------------===//

#include "bench/trace_bench.h"

#include "detector/offline/detector.h"
#include "trace/generator.h"
#include "trace/trace_file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace photofinish;

namespace {

GeneratorOptions benchProgram(uint64_t Events) {
  GeneratorOptions O = patternOptions(Pattern::Mix, Events);
  O.Atomics = 4;
  O.ReadLocks = true;
  O.Burst = 50;
  O.SitesPerPattern = 3;
  return O;
}

/// Keeps a finished trace: the name says what it holds.
llvm::Expected<std::string> makeTrace(const TraceBenchOptions &Options) {
  std::string Path = Options.Directory + "/bench-" + std::to_string(Options.Events) + "-events.pft";
  if (llvm::sys::fs::exists(Path))
    return Path;
  std::string Partial = Path + ".part";
  std::error_code Failed = llvm::sys::fs::create_directories(Options.Directory);
  if (Failed)
    return llvm::createStringError(Failed, Options.Directory + ": " + Failed.message());
  {
    llvm::raw_fd_ostream OS(Partial, Failed);
    if (Failed)
      return llvm::createStringError(Failed, Partial + ": " + Failed.message());
    auto Writer = createBinaryWriter(OS, Partial);
    Generator Source(benchProgram(Options.Events));
    for (Operation Op;;) {
      llvm::Expected<bool> More = Source.next(Op);
      if (!More)
        return More.takeError();
      if (!*More)
        break;
      if (llvm::Error E = Writer->write(Op, Source.symbols()))
        return std::move(E);
    }
    if (llvm::Error E = Writer->finish())
      return std::move(E);
  }
  Failed = llvm::sys::fs::rename(Partial, Path);
  if (Failed)
    return llvm::createStringError(Failed, Path + ": " + Failed.message());
  return Path;
}

struct Measurement {
  uint64_t Events = 0;
  uint64_t Races = 0;
  double Seconds = 0; ///< of processor time, reading included
  long PeakKiB = 0;
  bool Ok = false;
};

/// In a process of its own. Detector null: reading alone.
Measurement measure(const std::string &Path, const DetectorInfo *Info, uint64_t Limit) {
  int Pipe[2];
  if (pipe(Pipe))
    return {};
  pid_t Child = fork();
  if (Child == 0) {
    struct Counter final : RaceSink {
      uint64_t Races = 0;
      void report(const Race &) override { ++Races; }
    } Sink;
    Measurement M;
    auto Source = llvm::cantFail(openTrace(Path));
    std::unique_ptr<Detector> D = Info ? Info->Create(Sink) : nullptr;
    for (Operation Op; M.Events < Limit && llvm::cantFail(Source->next(Op)); ++M.Events)
      if (D)
        D->process(Op);
    if (D)
      D->finish();
    M.Races = Sink.Races;
    M.Seconds = double(std::clock()) / CLOCKS_PER_SEC;
    M.Ok = true;
    ssize_t Written = write(Pipe[1], &M, sizeof(M));
    _exit(Written == ssize_t(sizeof(M)) ? 0 : 1); // not exit: the shadow need not be torn down
  }
  close(Pipe[1]);
  Measurement M;
  if (Child < 0 || read(Pipe[0], &M, sizeof(M)) != ssize_t(sizeof(M)))
    M.Ok = false;
  close(Pipe[0]);
  rusage Usage = {};
  if (Child > 0)
    wait4(Child, nullptr, 0, &Usage);
  M.PeakKiB = Usage.ru_maxrss;
  return M;
}

bool benchDetectors(const std::string &Path, uint64_t Events) {
  bool AllOk = true;
  std::printf("%-16s %12s %14s %12s %14s %7s\n", "detector", "M events/s", "ns per event",
              "peak MiB", "of a tenth", "races");
  auto Row = [&](const char *Name, const DetectorInfo *Info) {
    Measurement Whole = measure(Path, Info, ~uint64_t(0));
    Measurement Tenth = measure(Path, Info, Events / 10);
    if (!Whole.Ok || !Tenth.Ok) {
      std::printf("%-16s failed\n", Name);
      AllOk = false;
      return;
    }
    std::printf("%-16s %12.1f %14.1f %12.1f %14.1f %7llu\n", Name,
                double(Whole.Events) / Whole.Seconds / 1e6,
                Whole.Seconds / double(Whole.Events) * 1e9, double(Whole.PeakKiB) / 1024,
                double(Tenth.PeakKiB) / 1024, (unsigned long long)Whole.Races);
    std::fflush(stdout);
  };
  Row("(reading only)", nullptr);
  for (const DetectorInfo &Info : allDetectors())
    Row(Info.Name, &Info);
  return AllOk;
}

void shadowFractions() {
  struct Ignore final : RaceSink {
    void report(const Race &) override {}
  } Sink;
  std::printf("\ncells per element at their peak (Table II of slimstate.txt: 0.56 and 0.13)\n");
  std::printf("%-16s %12s %16s\n", "pattern", "slimstate", "slimstate-bits");
  for (unsigned P = 0; P < NumPatterns; ++P) {
    std::printf("%-16s", patternName(Pattern(P)));
    for (const char *Name : {"slimstate", "slimstate-bits"}) {
      auto D = findDetector(Name)->Create(Sink);
      Generator Source(patternOptions(Pattern(P), 2'000'000));
      for (Operation Op; llvm::cantFail(Source.next(Op));)
        D->process(Op);
      D->finish();
      ShadowSize Size = D->shadowSize();
      std::printf(" %*.5f", Name[9] ? 16 : 12, double(Size.PeakCells) / double(Size.Elements));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

} // namespace

bool photofinish::runTraceBench(const TraceBenchOptions &Options) {
  llvm::Expected<std::string> Path = makeTrace(Options);
  if (!Path) {
    llvm::errs() << "detector_bench: " << llvm::toString(Path.takeError()) << "\n";
    return false;
  }
  uint64_t Bytes = 0;
  if (!llvm::sys::fs::file_size(*Path, Bytes))
    std::printf("%llu events, %.2f bytes each in the binary format; one core, reading included\n",
                (unsigned long long)Options.Events, double(Bytes) / double(Options.Events));
  bool Ok = benchDetectors(*Path, Options.Events);
  shadowFractions();
  return Ok;
}
