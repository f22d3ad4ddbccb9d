//===- trace_analysis.cpp - One file through all chosen detectors ---------===//

#include "driver/trace_analysis.h"

#include "driver/progress.h"
#include "trace/feasibility.h"
#include "trace/oracle.h"
#include "trace/trace_file.h"

#include "llvm/ADT/DenseSet.h"

#include <chrono>

namespace photofinish {
namespace {

/// The operations between two readings of the clock, with their places in the trace.
struct Batch {
  std::vector<Operation> Ops;
  std::vector<std::string> Positions; ///< kept only when there are several operations
  uint64_t Begin = 0;                 ///< index of the first operation
};

class Analyser {
public:
  Analyser(llvm::StringRef File, const AnalysisOptions &Options)
      : Options(Options), Collector(Options.Detectors) {
    Result.File = File.str();
    for (const DetectorInfo *Info : Options.Detectors) {
      Detectors.push_back(Info->Create(Collector.sink(unsigned(Detectors.size()))));
      Result.Detectors.push_back({Info, {}, {}, 0});
    }
  }

  TraceAnalysis run() {
    if (llvm::Error E = readAll())
      Result.Error = llvm::toString(std::move(E));
    for (size_t I = 0; I < Detectors.size(); ++I) {
      Result.Detectors[I].Rules = Detectors[I]->ruleCounts();
      Result.Detectors[I].Shadow = Detectors[I]->shadowSize();
    }
    Result.Threads = Threads.size();
    Result.Findings = Collector.takeFindings();
    return std::move(Result);
  }

private:
  llvm::Error readAll() {
    auto Opened = openTrace(Result.File);
    if (!Opened)
      return Opened.takeError();
    CheckedSource Source(**Opened);
    {
      Progress Shown(Result.File);
      Operation Op;
      while (true) {
        llvm::Expected<bool> More = Source.next(Op);
        // What came before an infeasible or malformed operation is a trace, too.
        if (!More || !*More) {
          process(Source);
          finish(Source);
          if (!More)
            return More.takeError();
          break;
        }
        if (llvm::Error E = take(Op, Source))
          return E;
        Shown.step(Result.Operations, Source);
      }
    }
    compare(Source.symbols());
    return llvm::Error::success();
  }

  llvm::Error take(const Operation &Op, const TraceSource &Source) {
    ++Result.Operations;
    Result.Accesses += isAccess(Op.Kind);
    Threads.insert(Op.Thread);
    if (Op.Kind == OpKind::Fork)
      Threads.insert(Op.Target);
    if (Options.Oracle) {
      if (Kept.size() == OracleLimit)
        return llvm::make_error<TraceError>(
            Result.File +
            ": --oracle compares all pairs of operations, and this trace has more than " +
            std::to_string(OracleLimit));
      Kept.push_back(Op);
    }
    Pending.Ops.push_back(Op);
    if (!Options.Timing) {
      process(Source);
      return llvm::Error::success();
    }
    Pending.Positions.push_back(Source.position());
    // Memory that comes or goes changes its name; reports should still see the old one.
    if (Pending.Ops.size() == MaxBatch || Op.Kind == OpKind::Allocate || Op.Kind == OpKind::Free)
      process(Source);
    return llvm::Error::success();
  }

  /// Gives what is pending to every detector.
  void process(const TraceSource &Source) {
    for (size_t I = 0; I < Detectors.size(); ++I)
      timed(I, [&] {
        for (const Operation &Op : Pending.Ops)
          Detectors[I]->process(Op);
      });
    collect(Source);
    Pending.Begin += Pending.Ops.size();
    Pending.Ops.clear();
    Pending.Positions.clear();
  }

  void finish(const TraceSource &Source) {
    for (size_t I = 0; I < Detectors.size(); ++I)
      timed(I, [&] { Detectors[I]->finish(); });
    collect(Source);
  }

  template <typename Function> void timed(size_t Detector, Function Work) {
    if (!Options.Timing)
      return Work();
    auto Start = std::chrono::steady_clock::now();
    Work();
    std::chrono::duration<double> Elapsed = std::chrono::steady_clock::now() - Start;
    Result.Detectors[Detector].Seconds += Elapsed.count();
  }

  void collect(const TraceSource &Source) {
    Collector.collect(Source.symbols(), [&](uint64_t Index) -> std::string {
      if (Index < Pending.Begin || Index - Pending.Begin >= Pending.Ops.size())
        return "";
      return Options.Timing ? Pending.Positions[Index - Pending.Begin] : Source.position();
    });
  }

  /// Every precise detector, and the oracle, must find the same bytes racy.
  void compare(const SymbolTable &Symbols) {
    std::vector<std::pair<std::string, const ByteSet *>> Judges;
    ByteSet OracleBytes;
    if (Options.Oracle) {
      OracleResult Truth = runOracle(Kept);
      for (uint64_t Byte : Truth.RacyBytes)
        OracleBytes.add(Byte, 1);
      Result.Oracle = OracleSummary{Truth.Races.size(), Truth.RacyBytes.size(), {}};
      for (auto [First, Second] : Truth.Races)
        addOraclePair(Symbols, Kept[First], Kept[Second]);
      Judges.emplace_back("the oracle", &OracleBytes);
    }
    for (size_t I = 0; I < Detectors.size(); ++I)
      if (Options.Detectors[I]->IsPrecise)
        Judges.emplace_back(Options.Detectors[I]->Name, &Collector.racyBytes(unsigned(I)));
    for (size_t I = 1; I < Judges.size(); ++I) {
      const auto &[Reference, Expected] = Judges[0];
      const auto &[Name, Found] = Judges[I];
      std::optional<uint64_t> Byte = ByteSet::firstDifference(*Expected, *Found);
      if (!Byte)
        continue;
      bool FoundIt = Found->contains(*Byte);
      Result.Disagreements.push_back((FoundIt ? Name : Reference) + " finds a race on " +
                                     Symbols.describe(*Byte) + ", " + (FoundIt ? Reference : Name) +
                                     " does not");
    }
  }

  void addOraclePair(const SymbolTable &Symbols, const Operation &First, const Operation &Second) {
    auto Name = [&](const Operation &Op) {
      return Op.Site ? Symbols.name(NameKind::Site, Op.Site) : std::string();
    };
    uint64_t Begin = std::max(First.Target, Second.Target);
    uint64_t End = std::min(First.Target + First.Size, Second.Target + Second.Size);
    Result.Oracle->Pairs[std::minmax({Name(First), Name(Second)})].add(Begin, End - Begin);
  }

  static constexpr size_t MaxBatch = 1024;

  const AnalysisOptions &Options;
  TraceAnalysis Result;
  RaceCollector Collector;
  std::vector<std::unique_ptr<Detector>> Detectors;
  llvm::DenseSet<uint64_t> Threads; // wider than a ThreadId, so that no id is the empty key
  Trace Kept;                       // for the oracle
  Batch Pending;
};

} // namespace

bool TraceAnalysis::isRace(const Finding &F) const {
  for (size_t I = 0; I < Detectors.size(); ++I)
    if (F.Seen[I] && Detectors[I].Info->IsPrecise)
      return true;
  return false;
}

TraceAnalysis analyseTrace(llvm::StringRef File, const AnalysisOptions &Options) {
  return Analyser(File, Options).run();
}

} // namespace photofinish
