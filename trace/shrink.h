//===- shrink.h - The smallest trace that still fails ----------------------===//
//
// A differential test that fails on a trace of a hundred operations is explained
// best by a trace of four. This is delta debugging (Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input") over operations, with steps
// that know what belongs together: a lock's acq and rel, a wait and its wake, a
// thread and its fork. Every candidate is feasible before it is tried.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_SHRINK_H
#define PHOTOFINISH_TRACE_SHRINK_H

#include "trace/stream.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace photofinish {

/// A feasible trace that still fails and is locally minimal: leaving out any one
/// operation, or any two of one thread on the same lock, condition or barrier, or a
/// fork and join or alloc and free, makes it pass or infeasible. Threads, locks and
/// locations are merged, and sizes and addresses lowered, as far as it still fails.
/// Failing must be feasible and fail; StillFails is called on feasible traces only
/// and should be a function of the trace. Sites stay with their operations.
Trace shrink(Trace Failing, llvm::function_ref<bool(const Trace &)> StillFails);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_SHRINK_H
