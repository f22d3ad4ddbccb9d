//===- enumerate.h - All small feasible traces -----------------------------===//
//
// Random traces miss corners; all traces up to a length do not. Depth first, from
// the empty trace, every operation that the state admits is appended in turn. The
// state (owners of locks, lives of threads) is updated and taken back in place, so
// that a node costs a few instructions and no check from scratch.
//
// Traces that differ only in the names of threads, locks or locations behave the
// same, and one of them is visited: names are taken in order of first appearance,
// so that T1 never comes up before T0, nor m1 before m0:
//
//   T0|w(x0)  T1|r(x0)      visited
//   T1|w(x0)  T0|r(x0)      the same trace, not visited
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_ENUMERATE_H
#define PHOTOFINISH_TRACE_ENUMERATE_H

#include "trace/stream.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace photofinish {

struct EnumerateOptions {
  unsigned Threads = 2;       ///< at most this many, 1..8
  unsigned Locks = 1;         ///< at most this many, 0..8
  unsigned Locations = 1;     ///< one byte each, at FirstLocation and on, 0..8
  unsigned MaxOperations = 5; ///< length of the longest traces visited
  bool ForkJoin = false;      ///< with fork and join; threads also appear by themselves
  bool ReadLocks = false;     ///< with rlk and rul
  bool Atomics = false;       ///< with atomic loads (rlx, acq), stores (rlx, rel) and
                              ///< read-modify-writes (rlx, ar) of the same locations
  static constexpr uint64_t FirstLocation = 0x10;
};

/// Calls Visit for every feasible trace of 1..MaxOperations operations, a prefix
/// before its extensions; those follow only if Visit returns true. The trace is valid
/// during the call only. Site is the operation's index + 1. Returns how many traces
/// were visited.
uint64_t enumerate(const EnumerateOptions &Options, llvm::function_ref<bool(const Trace &)> Visit);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_ENUMERATE_H
