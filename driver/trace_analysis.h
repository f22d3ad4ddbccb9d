//===- trace_analysis.h - One file through all chosen detectors -----------===//
//
// One pass: each operation is read, checked for feasibility and given to every detector
// before the next one is read. Only the oracle keeps the trace, and therefore has a limit.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_TRACE_ANALYSIS_H
#define PHOTOFINISH_DRIVER_TRACE_ANALYSIS_H

#include "driver/byte_set.h"
#include "driver/race_collector.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace photofinish {

struct AnalysisOptions {
  std::vector<const DetectorInfo *> Detectors;
  bool Oracle = false;
  /// Measure each detector for itself. Operations then go through in batches, so that
  /// reading the clock does not count.
  bool Timing = false;
};

/// The oracle looks at all pairs of operations.
inline constexpr uint64_t OracleLimit = 20000;

struct DetectorResult {
  const DetectorInfo *Info = nullptr;
  std::vector<RuleCount> Rules;
  ShadowSize Shadow;
  double Seconds = 0; ///< 0 unless Timing
};

struct OracleSummary {
  uint64_t Races = 0; ///< pairs of operations
  uint64_t RacyBytes = 0;
  /// The pairs of sites that race, in ascending order, and the bytes they race on; a site is empty
  /// if the trace does not say.
  std::map<std::pair<std::string, std::string>, ByteSet> Pairs;
};

/// What is known about one file. If Error is not empty, it is about what came before.
struct TraceAnalysis {
  std::string File; ///< as given; "-" is standard input
  std::string Error;
  uint64_t Operations = 0;
  uint64_t Accesses = 0;
  uint64_t Threads = 0;
  std::vector<Finding> Findings;
  std::vector<DetectorResult> Detectors; ///< as in the options
  std::optional<OracleSummary> Oracle;
  /// Two precise judges that do not find the same bytes racy: a bug in one of them.
  std::vector<std::string> Disagreements;

  /// Found by a precise detector, as opposed to lacking a common lock.
  bool isRace(const Finding &F) const;
};

TraceAnalysis analyseTrace(llvm::StringRef File, const AnalysisOptions &Options);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_TRACE_ANALYSIS_H
