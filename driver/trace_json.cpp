//===- trace_json.cpp - An analysis, for programs -------------------------===//
//
// {"version":1,"file":"bank.std","operations":44,"threads":4,
//  "races":[{"kind":"race","location":"Balance+8","address":"0x4000000000000048","size":8,
//            "first":{"thread":"bob","access":"write","atomic":false,"site":"bank.c:21:15"},
//            "second":{...},"operation":28,"position":"bank.std:31",
//            "detectors":["verifiedft"],"repeats":1}],
//  "detectors":[{"name":"verifiedft","precise":true}]}
//
// (with keys in alphabetical order). "kind" is "race" or "unprotected"; "operation" counts from 0;
// "site" and "position" are left out where unknown; "error" and "disagreements" are there if there
// is one. Addresses are text, because not every reader of JSON has 64-bit integers.
//
//===----------------------------------------------------------------------===//

#include "driver/trace_report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace photofinish {

namespace json = llvm::json;

/// Names in traces are bytes; JSON is Unicode.
static json::Value text(llvm::StringRef S) { return json::isUTF8(S) ? S.str() : json::fixUTF8(S); }

static json::Object accessObject(const FindingAccess &A) {
  json::Object O{
      {"thread", text(A.Thread)}, {"access", A.IsWrite ? "write" : "read"}, {"atomic", A.IsAtomic}};
  if (!A.Site.empty())
    O["site"] = text(A.Site);
  return O;
}

static json::Object findingObject(const TraceAnalysis &A, const Finding &F) {
  json::Object O{{"kind", A.isRace(F) ? "race" : "unprotected"},
                 {"location", text(F.Location)},
                 {"address", "0x" + llvm::utohexstr(F.Address, /*LowerCase=*/true)},
                 {"size", F.Size},
                 {"first", accessObject(F.First)},
                 {"second", accessObject(F.Second)},
                 {"operation", F.Operation},
                 {"detectors", foundBy(A, F)},
                 {"repeats", repeats(F)}};
  if (!F.Position.empty())
    O["position"] = text(F.Position);
  return O;
}

static json::Object detectorObject(const TraceAnalysis &A, const DetectorResult &D,
                                   bool WithStats) {
  json::Object O{{"name", D.Info->Name}, {"precise", D.Info->IsPrecise}};
  if (!WithStats)
    return O;
  json::Object Rules;
  for (const RuleCount &R : D.Rules)
    if (R.Count)
      Rules[R.Rule] = R.Count;
  O["rules"] = std::move(Rules);
  O["shadow"] = json::Object{{"elements", D.Shadow.Elements},
                             {"cells", D.Shadow.Cells},
                             {"peakCells", D.Shadow.PeakCells}};
  O["seconds"] = D.Seconds;
  if (D.Seconds > 0)
    O["operationsPerSecond"] = double(A.Operations) / D.Seconds;
  return O;
}

static json::Object oracleObject(const OracleSummary &S) {
  json::Array Pairs;
  for (const auto &[Sites, Bytes] : S.Pairs) {
    json::Array Ranges;
    Bytes.forEach([&](uint64_t First, uint64_t Count) {
      Ranges.push_back(
          json::Array{"0x" + llvm::utohexstr(First, /*LowerCase=*/true), json::Value(Count)});
    });
    Pairs.push_back(json::Object{{"sites", json::Array{text(Sites.first), text(Sites.second)}},
                                 {"bytes", std::move(Ranges)}});
  }
  return json::Object{{"races", S.Races}, {"racyBytes", S.RacyBytes}, {"pairs", std::move(Pairs)}};
}

void printJson(llvm::raw_ostream &OS, const TraceAnalysis &A, bool WithStats) {
  json::Array Races, Detectors;
  for (const Finding &F : A.Findings)
    Races.push_back(findingObject(A, F));
  for (const DetectorResult &D : A.Detectors)
    Detectors.push_back(detectorObject(A, D, WithStats));
  Totals T = countFindings(A);
  json::Object O{{"version", 1},
                 {"file", text(A.File)},
                 {"operations", A.Operations},
                 {"accesses", A.Accesses},
                 {"threads", A.Threads},
                 {"racyLocations", T.RacyLocations},
                 {"races", std::move(Races)},
                 {"detectors", std::move(Detectors)}};
  if (A.Oracle)
    O["oracle"] = oracleObject(*A.Oracle);
  if (!A.Disagreements.empty())
    O["disagreements"] = json::Array(A.Disagreements);
  if (!A.Error.empty())
    O["error"] = text(A.Error);
  OS << json::Value(std::move(O)) << '\n';
}

} // namespace photofinish
