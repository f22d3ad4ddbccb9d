//===- detector.h - The one interface of all offline detectors -----------===//
//
// A detector takes the operations of a feasible trace one by one and reports
// races to a RaceSink. Precise detectors differ in cost, not in what they find;
// differential tests hold every one of them to the oracle in trace/oracle.h.
//
// A detector goes on after a race. Every race it reports is real; how many it
// still finds at a location that has already raced is its paper's business.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_DETECTOR_H
#define PHOTOFINISH_DETECTOR_OFFLINE_DETECTOR_H

#include "detector/rule_kind.h"
#include "trace/operation.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace photofinish {

/// One side of a race.
struct RaceAccess {
  ThreadId Thread = 0;
  SiteId Site = 0;
  bool IsWrite = false;
  bool IsAtomic = false;

  bool operator==(const RaceAccess &) const = default;
};

/// Two conflicting accesses to [Address, Address+Size), unordered by the detector's
/// notion of order. Second is the access the detector was looking at when it noticed;
/// Operation is the index of the operation it was given then.
struct Race {
  uint64_t Address = 0;
  uint64_t Size = 0;
  RaceAccess First, Second;
  uint64_t Operation = 0;
};

class RaceSink {
public:
  virtual ~RaceSink() = default;
  virtual void report(const Race &R) = 0;
};

/// How often a rule of the paper fired.
struct RuleCount {
  std::string Rule; ///< as the paper spells it: "Read Same Epoch"
  uint64_t Count = 0;
  RuleKind Kind = RuleKind::State;
};

/// Shadow state, for Table II of slimstate.txt.
struct ShadowSize {
  uint64_t Elements = 0;  ///< locations of the program that have been touched and are alive
  uint64_t Cells = 0;     ///< cells that stand for them now
  uint64_t PeakCells = 0; ///< and at most
};

class Detector {
public:
  virtual ~Detector() = default;
  /// Analyses the next operation. Operations arrive in trace order.
  virtual void process(const Operation &Op) = 0;
  /// The trace is over: whatever was deferred is decided now.
  virtual void finish() {}
  virtual std::vector<RuleCount> ruleCounts() const = 0;
  virtual ShadowSize shadowSize() const { return {}; }
};

/// The detectors by name; "all" is not one of them.
struct DetectorInfo {
  const char *Name;    ///< as on the command line
  const char *Summary; ///< one line for --help
  bool IsPrecise;      ///< reports a race if and only if the trace has one
  bool InAll;          ///< part of --detector=all
  std::unique_ptr<Detector> (*Create)(RaceSink &Sink);
};
const std::vector<DetectorInfo> &allDetectors();
/// Null if there is no detector of that name.
const DetectorInfo *findDetector(llvm::StringRef Name);

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_DETECTOR_H
