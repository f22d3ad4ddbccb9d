//===- oracle.h - Every race of a trace, straight from the definition -----===//
//
// The judge of all precise detectors. It builds the whole happens-before relation
// of a trace as a set of pairs of operations, edge by edge as docs/traces.md states
// them, closes it transitively, and then looks at all pairs of accesses. Slow and
// obvious on purpose; it shares no code with detector/ or shadow/, and knows nothing
// of epochs or clocks.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_ORACLE_H
#define PHOTOFINISH_TRACE_ORACLE_H

#include "trace/stream.h"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace photofinish {

struct OracleResult {
  /// Pairs of indices into the trace, the earlier first, in lexicographic order.
  std::vector<std::pair<size_t, size_t>> Races;
  /// Every byte on which some pair races.
  std::set<uint64_t> RacyBytes;

  bool hasRace() const { return !Races.empty(); }
  /// The earliest operation that completes a race; the trace's length if none does.
  size_t firstRacyOperation(size_t TraceLength) const;
};

/// The trace must be feasible (feasibility.h).
OracleResult runOracle(const Trace &Ops);

/// Does the pair race, and on which bytes? For judging single reports.
std::set<uint64_t> racyBytesOfPair(const Trace &Ops, size_t First, size_t Second);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_ORACLE_H
