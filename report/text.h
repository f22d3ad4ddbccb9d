//===- text.h - Words for people ------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_TEXT_H
#define PHOTOFINISH_REPORT_TEXT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace photofinish {

/// Text from a file, fit for a terminal: control characters become '?'.
std::string printable(llvm::StringRef Text);

/// "1 byte", "4 bytes"
std::string plural(uint64_t N, llvm::StringRef One);

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_TEXT_H
