//===- happens_before.h - The synchronization half of a precise detector ----===//
//
// Every precise detector treats synchronization alike: it is only in what they keep
// per location that they differ. This class has the clocks of all threads, locks,
// barriers, once-objects and atomics of a trace and applies the rules of
// detector/sync.h to them.
//
// An atomic operation stands between its two halves: what it learns, it learns before
// its own access to memory is checked; what it publishes, it publishes afterwards, so
// that the access is part of it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_HAPPENS_BEFORE_H
#define PHOTOFINISH_DETECTOR_OFFLINE_HAPPENS_BEFORE_H

#include "detector/offline/detector.h"
#include "detector/sync.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace photofinish {

class HappensBefore {
public:
  /// FastTrack's [JOIN] starts a new epoch of the joined thread; VerifiedFT's does not.
  enum class JoinRule { VerifiedFT, FastTrack };
  explicit HappensBefore(JoinRule Join = JoinRule::VerifiedFT) : Join(Join) {}

  ThreadState &thread(ThreadId Id) {
    if (Id < Threads.size() && Threads[Id])
      return *Threads[Id];
    return addThread(Id);
  }
  const std::vector<std::unique_ptr<ThreadState>> &threads() const { return Threads; }

  /// Anything but an access and an allocation.
  void synchronize(const Operation &Op);
  /// Before the access of an atomic operation: what it reads teaches the thread.
  void observeAtomic(const Operation &Op);
  /// After it: what it writes publishes the thread's clock.
  void publishAtomic(const Operation &Op);
  /// The range is fresh memory.
  void forget(uint64_t Address, uint64_t Size);

  /// Would this operation change what the thread's accesses are compared with, or give
  /// later accesses another epoch? Deferred checks have to be made before.
  static bool changesClock(const Operation &Op);

  /// Rules that fired at least once, over all threads.
  std::vector<RuleCount> ruleCounts() const;

private:
  ThreadState &addThread(ThreadId Id);

  JoinRule Join;
  std::vector<std::unique_ptr<ThreadState>> Threads;
  llvm::DenseMap<uint64_t, LockState> Locks;
  llvm::DenseMap<uint64_t, BarrierState> Barriers;
  llvm::DenseMap<uint64_t, OnceState> Onces;
  llvm::DenseMap<ThreadId, uint64_t> RoundOf;    // the barrier round a thread is inside
  llvm::DenseMap<uint64_t, AtomicBlock> Atomics; // by address / AtomicBlock::Bytes
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_HAPPENS_BEFORE_H
