//===- explain.h - Why nothing orders the two -----------------------------===//
//
// One sentence from what the record says, and nothing that it does not: which locks were held,
// who created whom, what was atomic. That no synchronization leads from the earlier access to
// the later one is what makes it a race, and is always true.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_EXPLAIN_H
#define PHOTOFINISH_REPORT_EXPLAIN_H

#include "report/record.h"

namespace photofinish {

/// "nothing orders the two: ..."; without a capital letter, with a full stop.
std::string explain(const Race &R);

/// "the main thread", "thread T3 'auditor'", "an unknown thread"
std::string threadPhrase(const Race &R, std::optional<uint64_t> Id);

/// "'BankLock'", "the mutex at 0x7f...", with " (shared)" after a lock that others may share.
std::string lockPhrase(const HeldLock &L);

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_EXPLAIN_H
