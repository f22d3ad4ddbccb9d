//===- lockset_oracle.h - Every lockset race, straight from the definition ===//
//
// The judge of the lockset detector. Choi et al. (choi02.txt, sections 2 and 3) call
// two accesses a race when they touch the same location from different threads, at
// least one of them writes, and no lock was held at both. That is weaker than
// happens-before in both directions: it finds races that this execution was lucky
// enough to order, and it reports pairs that something other than a lock orders.
//
// In full, for every byte for itself:
//
// * An access event is what a thread did (read or write), with its lockset:
//     - the locks that it holds exclusively;
//     - for reads only, the locks that it holds shared (Eraser's rule: a shared lock
//       protects reads, not writes);
//     - dummy locks for threads: S_u for the thread u itself, S_v for every thread v
//       that it has joined, from the join on (section 2's model of join);
//     - a dummy lock that every atomic access holds, so that atomics never race with
//       each other, yet do with plain accesses.
//   AtomicStore, AtomicRmw and Free are writes. `wait` gives its lock back, `wake`
//   takes it again. Nothing else (fork, barriers, once, notify, memory orders) matters.
// * Ownership: the first thread that accesses a byte owns it. Its accesses before any
//   other thread's are no events; the access that ends the ownership is one, and so is
//   every later access, the owner's included. This approximates fork.
// * An Allocate of the byte starts it anew, without history and owner.
// * Two events race if their threads differ, at least one is a write, and their
//   locksets are disjoint.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_LOCKSET_ORACLE_H
#define PHOTOFINISH_TRACE_LOCKSET_ORACLE_H

#include "trace/stream.h"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace photofinish {

struct LocksetOracleResult {
  /// Every byte on which some pair races.
  std::set<uint64_t> RacyBytes;
  /// Pairs of indices into the trace, the earlier first, in lexicographic order.
  std::vector<std::pair<size_t, size_t>> Races;
};

/// The trace must be feasible (feasibility.h).
LocksetOracleResult runLocksetOracle(const Trace &Ops);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_LOCKSET_ORACLE_H
