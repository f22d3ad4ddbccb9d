//===- judge.h - Every detector against the oracles, on one trace -------------===//
//
// What the papers promise, checked on a single trace:
//
//   every precise detector   a race if and only if the oracle has one; the racy bytes are
//                            the oracle's; every reported pair is one of the oracle's pairs
//   those that check at once the first report comes at the oracle's first racy operation
//   SlimState (both)         on the trace cut off just before that operation, no race; with
//                            that operation, a race: the deferred form of the same promise
//   Choi's detector          exactly the bytes that its definition says, and real pairs
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_DIFFERENTIAL_JUDGE_H
#define PHOTOFINISH_TEST_DIFFERENTIAL_JUDGE_H

#include "trace/stream.h"

#include <string>

namespace photofinish {

struct Verdict {
  std::string Complaint; ///< empty if all is well
  bool HasRace = false;  ///< by the oracle
};

/// Sites are renumbered, so that a report tells which operations it means.
Verdict judge(Trace Ops);

/// The complaint, and the smallest trace found that still brings one, in text form.
std::string explainFailure(const Trace &Ops);

} // namespace photofinish

#endif // PHOTOFINISH_TEST_DIFFERENTIAL_JUDGE_H
