//===- judge.cpp - Every detector against the oracles, on one trace -----------===//

#include "test/differential/judge.h"

#include "detector/offline/detector.h"
#include "trace/lockset_oracle.h"
#include "trace/oracle.h"
#include "trace/shrink.h"
#include "trace/text_format.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace photofinish;

namespace {

struct Collector final : RaceSink {
  std::vector<Race> Races;
  void report(const Race &R) override { Races.push_back(R); }
};

using PairList = std::vector<std::pair<size_t, size_t>>;

std::vector<Race> run(const DetectorInfo &Info, const Trace &Ops, size_t Length) {
  Collector Sink;
  auto D = Info.Create(Sink);
  for (size_t I = 0; I < Length; ++I)
    D->process(Ops[I]);
  D->finish();
  return Sink.Races;
}

std::string bytes(const std::set<uint64_t> &Set) {
  std::string Text;
  for (uint64_t B : Set)
    Text += (Text.empty() ? "" : ",") + std::to_string(B);
  return "{" + Text + "}";
}

bool agrees(const RaceAccess &A, const Operation &Op, const Race &R) {
  return A.Thread == Op.Thread && A.IsWrite == isWriteAccess(Op.Kind) &&
         A.IsAtomic == isAtomicAccess(Op.Kind) && R.Size && R.Address >= Op.Target &&
         R.Address + R.Size <= Op.Target + Op.Size;
}

/// Are the reported pairs among Pairs, and are their bytes exactly Bytes?
std::string compare(const Trace &Ops, const std::vector<Race> &Reports, const PairList &Pairs,
                    const std::set<uint64_t> &Bytes) {
  std::set<uint64_t> Found;
  for (const Race &R : Reports) {
    if (!R.First.Site || !R.Second.Site || R.First.Site > Ops.size() || R.Second.Site > Ops.size())
      return "a report without a site";
    size_t I = R.First.Site - 1, J = R.Second.Site - 1;
    std::string Pair = std::to_string(I) + " and " + std::to_string(J);
    if (!agrees(R.First, Ops[I], R) || !agrees(R.Second, Ops[J], R))
      return "the report of " + Pair + " does not describe these operations";
    if (!std::binary_search(Pairs.begin(), Pairs.end(), std::pair(std::min(I, J), std::max(I, J))))
      return "false alarm: " + Pair + " do not race";
    for (uint64_t B = R.Address; B < R.Address + R.Size; ++B)
      Found.insert(B);
  }
  if (Found != Bytes)
    return "racy bytes " + bytes(Found) + ", should be " + bytes(Bytes);
  return "";
}

std::string judgePrecise(const DetectorInfo &Info, const Trace &Ops, const OracleResult &Truth) {
  std::vector<Race> Reports = run(Info, Ops, Ops.size());
  if (std::string Wrong = compare(Ops, Reports, Truth.Races, Truth.RacyBytes); !Wrong.empty())
    return Wrong;
  if (!Truth.hasRace())
    return "";
  size_t First = Truth.firstRacyOperation(Ops.size());
  if (llvm::StringRef(Info.Name).starts_with("slimstate")) {
    if (!run(Info, Ops, First).empty())
      return "a race before operation " + std::to_string(First);
    if (run(Info, Ops, First + 1).empty())
      return "no race when the trace ends with operation " + std::to_string(First);
    return "";
  }
  size_t FirstReport = Ops.size();
  for (const Race &R : Reports)
    FirstReport = std::min<size_t>(FirstReport, R.Operation);
  if (FirstReport != First)
    return "first racy operation " + std::to_string(FirstReport) + ", should be " +
           std::to_string(First);
  return "";
}

} // namespace

Verdict photofinish::judge(Trace Ops) {
  for (size_t I = 0; I < Ops.size(); ++I)
    Ops[I].Site = SiteId(I + 1);
  OracleResult Truth = runOracle(Ops);
  Verdict V;
  V.HasRace = Truth.hasRace();
  for (const DetectorInfo &Info : allDetectors()) {
    std::string Wrong;
    if (Info.IsPrecise) {
      Wrong = judgePrecise(Info, Ops, Truth);
    } else {
      LocksetOracleResult Definition = runLocksetOracle(Ops);
      Wrong = compare(Ops, run(Info, Ops, Ops.size()), Definition.Races, Definition.RacyBytes);
    }
    if (Wrong.empty())
      continue;
    V.Complaint = std::string(Info.Name) + ": " + Wrong;
    break;
  }
  return V;
}

std::string photofinish::explainFailure(const Trace &Ops) {
  Trace Small = shrink(Ops, [](const Trace &T) { return !judge(T).Complaint.empty(); });
  std::string Text = judge(Small).Complaint + "\n";
  for (size_t I = 0; I < Small.size(); ++I)
    Small[I].Site = 0;
  llvm::raw_string_ostream OS(Text);
  TextWriter Writer(OS, "failure");
  SymbolTable Symbols;
  for (const Operation &Op : Small)
    llvm::cantFail(Writer.write(Op, Symbols));
  llvm::cantFail(Writer.finish());
  return Text;
}
