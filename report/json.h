//===- json.h - Races as JSON lines ---------------------------------------===//
//
// The same records as the runtime's (docs/records.md), resolved, for programs to read.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_JSON_H
#define PHOTOFINISH_REPORT_JSON_H

#include "report/record.h"

#include "llvm/Support/raw_ostream.h"

namespace photofinish {

/// One line, with its line break. Modules are left out: everything has been resolved.
void printJson(llvm::raw_ostream &OS, const Record &R);

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_JSON_H
