//===- trace_report.h - An analysis, for people and for programs ----------===//

#ifndef PHOTOFINISH_DRIVER_TRACE_REPORT_H
#define PHOTOFINISH_DRIVER_TRACE_REPORT_H

#include "driver/trace_analysis.h"

#include "llvm/Support/raw_ostream.h"

namespace photofinish {

/// Findings with snippets of source, the summary, and the statistics if asked for.
void printText(llvm::raw_ostream &OS, const TraceAnalysis &A, bool WithStats);

/// One object on one line. Its "version" changes when a field changes its meaning or goes;
/// fields may be added without. README.md describes it.
void printJson(llvm::raw_ostream &OS, const TraceAnalysis &A, bool WithStats);

/// Races, found by a precise detector, and the locations they are on (findings that overlap
/// are about one location).
struct Totals {
  uint64_t Races = 0, RacyLocations = 0;
  uint64_t Unprotected = 0; ///< findings that are no races
};
Totals countFindings(const TraceAnalysis &A);

/// "write", "atomic read"
std::string accessWord(const FindingAccess &A);

/// The detectors that found it, by name.
std::vector<std::string> foundBy(const TraceAnalysis &A, const Finding &F);

/// How often it was seen after the first time, by the detector that saw it most.
uint64_t repeats(const Finding &F);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_TRACE_REPORT_H
