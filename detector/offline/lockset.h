//===- lockset.h - The lockset detector over traces --------------------------===//
//
// Drives detector/lockset.h: a LocksetThread for every thread of the trace, a
// LocksetLocation for every byte that is used, at the grain of use.
//
// Not precise in the sense of the other detectors: it answers another question
// (trace/lockset_oracle.h), and that one exactly.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_LOCKSET_H
#define PHOTOFINISH_DETECTOR_OFFLINE_LOCKSET_H

#include "detector/lockset.h"
#include "detector/offline/create.h"
#include "shadow/fine.h"

namespace photofinish {

class LocksetDetector final : public Detector {
public:
  explicit LocksetDetector(RaceSink &Sink) : Sink(Sink) {}

  void process(const Operation &Op) override;
  void finish() override { assert(isWellFormed()); }
  /// Rules that fired at least once, over all threads.
  std::vector<RuleCount> ruleCounts() const override;
  /// The nodes of the histories are the cells; a location that is owned has none.
  ShadowSize shadowSize() const override;

  /// How often one rule fired, over all threads.
  uint64_t timesFired(lockset::Rule R) const;
  bool isWellFormed() const;

private:
  lockset::LocksetThread &thread(ThreadId Id);
  void synchronize(const Operation &Op);
  void allocate(const Operation &Op);
  void access(const Operation &Op);
  void check(lockset::LocksetThread &T, const lockset::Access &A, uint64_t Address, uint64_t Size);

  RaceSink &Sink;
  // Histories refer to the census and to the threads' dummy locks, so they go first.
  lockset::Census Nodes;
  std::vector<std::unique_ptr<lockset::LocksetThread>> Threads; // null: not seen yet
  FineShadow<lockset::LocksetLocation> Shadow;
  uint64_t Index = 0;
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_LOCKSET_H
