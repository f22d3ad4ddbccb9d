//===- trace_report.cpp - An analysis, for people -------------------------===//
//
// The heading of a finding is one line that says it all, for grep and for the hurried:
//
//   race on counter (4 bytes): write by T1 at worker.c:5 and read by T0 at main.c:12, not ordered
//
// What the lockset detector alone finds is no race of this execution, and is not called one:
//
//   unprotected counter (4 bytes): write by T1 at worker.c:5 and read by T0 at main.c:12, no common
//   lock
//
//===----------------------------------------------------------------------===//

#include "driver/trace_report.h"

#include "report/source_snippet.h"
#include "report/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace photofinish {

using llvm::format;
using llvm::raw_ostream;

std::string accessWord(const FindingAccess &A) {
  return std::string(A.IsAtomic ? "atomic " : "") + (A.IsWrite ? "write" : "read");
}

std::vector<std::string> foundBy(const TraceAnalysis &A, const Finding &F) {
  std::vector<std::string> Names;
  for (size_t I = 0; I < A.Detectors.size(); ++I)
    if (F.Seen[I])
      Names.emplace_back(A.Detectors[I].Info->Name);
  return Names;
}

uint64_t repeats(const Finding &F) { return *std::max_element(F.Seen.begin(), F.Seen.end()) - 1; }

Totals countFindings(const TraceAnalysis &A) {
  Totals T;
  std::vector<std::pair<uint64_t, uint64_t>> Racy; // begin, end
  for (const Finding &F : A.Findings) {
    if (A.isRace(F)) {
      ++T.Races;
      Racy.emplace_back(F.Address, F.Address + F.Size);
    } else {
      ++T.Unprotected;
    }
  }
  std::sort(Racy.begin(), Racy.end());
  uint64_t End = 0;
  for (auto [Begin, RangeEnd] : Racy) {
    T.RacyLocations += T.RacyLocations == 0 || Begin >= End;
    End = std::max(End, RangeEnd);
  }
  return T;
}

static std::string accessPhrase(const FindingAccess &A) {
  return accessWord(A) + " by " + printable(A.Thread) +
         (A.Site.empty() ? "" : " at " + printable(A.Site));
}

/// A loop over an array races at one pair of places on many locations: one report, of the
/// first, with the others as a list. Accesses without a place are told apart by location.
using Group = std::vector<const Finding *>;
static std::vector<Group> groupByPlaces(const TraceAnalysis &A) {
  std::vector<Group> Groups;
  std::map<std::tuple<bool, std::string, std::string>, size_t> Known;
  for (const Finding &F : A.Findings) {
    if (F.First.Site.empty() || F.Second.Site.empty()) {
      Groups.push_back({&F});
      continue;
    }
    std::string One = accessWord(F.First) + " at " + F.First.Site;
    std::string Other = accessWord(F.Second) + " at " + F.Second.Site;
    auto [It, IsNew] =
        Known.try_emplace({A.isRace(F), std::min(One, Other), std::max(One, Other)}, Groups.size());
    if (IsNew)
      Groups.emplace_back();
    Groups[It->second].push_back(&F);
  }
  return Groups;
}

static void printGroup(raw_ostream &OS, const TraceAnalysis &A, const Group &Same,
                       SourceSnippets &Sources) {
  const Finding &F = *Same.front();
  bool IsRace = A.isRace(F);
  OS << (IsRace ? "race on " : "unprotected ") << printable(F.Location) << " ("
     << plural(F.Size, "byte") << "): " << accessPhrase(F.First) << " and "
     << accessPhrase(F.Second) << (IsRace ? ", not ordered\n" : ", no common lock\n");
  for (const FindingAccess *Access : {&F.First, &F.Second}) {
    if (!Sources.has(Access->Site))
      continue;
    OS << "  " << accessPhrase(*Access) << '\n';
    Sources.print(OS, Access->Site);
  }
  OS << "  found by " << llvm::join(foundBy(A, F), ", ") << " at ";
  if (!F.Position.empty())
    OS << printable(F.Position) << ", ";
  OS << "operation " << F.Operation + 1;
  if (uint64_t Again = repeats(F))
    OS << "; seen again " << plural(Again, "time");
  OS << '\n';
  if (Same.size() > 1) {
    constexpr size_t Named = 4;
    OS << "  the same two places on " << plural(Same.size() - 1, "more location") << ": ";
    for (size_t I = 1; I < Same.size() && I <= Named; ++I)
      OS << (I > 1 ? ", " : "") << printable(Same[I]->Location);
    OS << (Same.size() - 1 > Named ? ", ...\n" : "\n");
  }
  OS << '\n';
}

static void printStats(raw_ostream &OS, const TraceAnalysis &A) {
  for (const DetectorResult &D : A.Detectors) {
    uint64_t Checks = 0;
    for (const RuleCount &R : D.Rules)
      if (R.Kind == RuleKind::Access)
        Checks += R.Count;
    OS << D.Info->Name << ": ";
    if (D.Seconds > 0)
      OS << format("%.1f million operations a second, ", double(A.Operations) / D.Seconds / 1e6);
    if (D.Shadow.Elements)
      OS << format("%.3f cells per location (", double(D.Shadow.Cells) / double(D.Shadow.Elements))
         << plural(D.Shadow.Cells, "cell") << ", " << D.Shadow.PeakCells << " at most, "
         << plural(D.Shadow.Elements, "location") << "), ";
    OS << plural(Checks, "check") << '\n';
    for (const RuleCount &R : D.Rules) {
      if (!R.Count)
        continue;
      OS << "  " << llvm::left_justify(R.Rule, 28) << format("%14llu", (unsigned long long)R.Count);
      if (Checks && (R.Kind == RuleKind::Access || R.Kind == RuleKind::Race))
        OS << format("  %5.1f%%", 100.0 * double(R.Count) / double(Checks));
      OS << '\n';
    }
  }
}

void printText(raw_ostream &OS, const TraceAnalysis &A, bool WithStats) {
  SourceSnippets Sources(A.File);
  for (const Group &Same : groupByPlaces(A))
    printGroup(OS, A, Same, Sources);
  if (WithStats)
    printStats(OS, A);
  if (A.Oracle)
    OS << "oracle: " << plural(A.Oracle->Races, "racing pair") << " of operations, on "
       << plural(A.Oracle->RacyBytes, "byte") << '\n';
  // A file of which nothing could be read has no summary, only its error.
  if (!A.Error.empty() && A.Operations == 0)
    return;
  Totals T = countFindings(A);
  OS << printable(A.File) << ": " << plural(A.Operations, "operation") << ", "
     << plural(A.Threads, "thread") << ", " << plural(T.Races, "race") << " on "
     << plural(T.RacyLocations, "location");
  if (T.Unprotected)
    OS << ", " << T.Unprotected << " unprotected";
  OS << (A.Error.empty() ? "\n" : ", up to the error\n");
}

} // namespace photofinish
