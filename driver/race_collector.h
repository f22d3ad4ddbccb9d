//===- race_collector.h - From reported races to what people read ---------===//
//
// Detectors report often: a 4-byte write that races may be four reports, the next turn of
// the same loop four more, and every detector says it again. People want each mistake once.
//
// * Reports of one detector at one operation about the same two accesses become one when
//   their bytes adjoin.
// * A byte appears once for each pair of sites, in whichever order the two were seen, by
//   whichever threads and detectors; repeats are counted. (Where the trace has no
//   locations, threads stand in for sites.)
// * What a detector that is not precise says never changes what a race is said to be: its
//   findings are kept apart, and at the end those that repeat a race add their detector to it.
//
// Names are resolved when a race is first reported: the memory may be called something else later.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_RACE_COLLECTOR_H
#define PHOTOFINISH_DRIVER_RACE_COLLECTOR_H

#include "detector/offline/detector.h"
#include "driver/byte_set.h"
#include "trace/symbols.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace photofinish {

/// One side of a finding, in words.
struct FindingAccess {
  std::string Thread;
  std::string Site; ///< empty if the trace does not say
  bool IsWrite = false;
  bool IsAtomic = false;
};

struct Finding {
  uint64_t Address = 0;
  uint64_t Size = 0;
  std::string Location; ///< "x", "x+64", "0x7f0010"
  FindingAccess First, Second;
  uint64_t Operation = 0;     ///< index of the operation at which it was first noticed
  std::string Position;       ///< of that operation in the trace; empty if it was long past
  std::vector<uint64_t> Seen; ///< by detector: how often
};

class RaceCollector {
public:
  explicit RaceCollector(llvm::ArrayRef<const DetectorInfo *> Detectors);
  ~RaceCollector();

  /// Where the detector of this number reports.
  RaceSink &sink(unsigned Detector);
  /// Takes in what was reported since the last call. PositionOf gives an operation's place in
  /// the trace, or an empty string if that is no longer known.
  void collect(const SymbolTable &Symbols,
               llvm::function_ref<std::string(uint64_t Operation)> PositionOf);

  /// In the order of the operations at which they were noticed. The end of collecting.
  std::vector<Finding> takeFindings();
  /// Every byte that the detector has reported.
  const ByteSet &racyBytes(unsigned Detector) const { return RacyBytes[Detector]; }

private:
  class Sink;
  using Side = std::tuple<SiteId, ThreadId, bool, bool>; // site, thread if no site, write, atomic
  using SitePair = std::pair<Side, Side>;                // in ascending order
  using BySitePair = std::map<SitePair, std::map<uint64_t, size_t>>;
  static SitePair sitePairOf(const Race &R);
  void add(unsigned Detector, const Race &R, const SymbolTable &Symbols,
           llvm::function_ref<std::string(uint64_t)> PositionOf);

  std::vector<const DetectorInfo *> Detectors;
  std::vector<std::unique_ptr<Sink>> Sinks; // by detector
  std::vector<ByteSet> RacyBytes;           // by detector
  std::vector<Finding> Findings;
  /// For each pair of sites, the first address of each finding -> its index. Disjoint.
  BySitePair Races, Unprotected; // by precise detectors, by the others
};

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_RACE_COLLECTOR_H
