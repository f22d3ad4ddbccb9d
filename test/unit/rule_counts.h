//===- rule_counts.h - Runs a detector and tells what it did -------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_RULE_COUNTS_H
#define PHOTOFINISH_TEST_UNIT_RULE_COUNTS_H

#include "detector/offline/detector.h"
#include "trace/stream.h"

#include <map>
#include <set>
#include <string>

namespace photofinish {

struct DetectorRun {
  std::vector<Race> Races;
  std::set<uint64_t> RacyBytes;
  std::map<std::string, uint64_t> Rules;
  ShadowSize Shadow;
};

/// Every operation of the trace, then finish; an unknown detector fails at once.
inline DetectorRun runDetector(llvm::StringRef Name, TraceSource &Source) {
  struct Sink final : RaceSink {
    DetectorRun Run;
    void report(const Race &R) override {
      Run.Races.push_back(R);
      for (uint64_t B = R.Address; B < R.Address + R.Size; ++B)
        Run.RacyBytes.insert(B);
    }
  } S;
  auto D = findDetector(Name)->Create(S);
  for (Operation Op; llvm::cantFail(Source.next(Op));)
    D->process(Op);
  D->finish();
  for (const RuleCount &R : D->ruleCounts())
    S.Run.Rules[R.Rule] += R.Count;
  S.Run.Shadow = D->shadowSize();
  return S.Run;
}
inline DetectorRun runDetector(llvm::StringRef Name, const Trace &Ops) {
  VectorSource Source(Ops);
  return runDetector(Name, Source);
}

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_RULE_COUNTS_H
