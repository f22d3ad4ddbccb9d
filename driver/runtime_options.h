//===- runtime_options.h - PHOTOFINISH_OPTIONS ----------------------------===//
//
// A program's runtime takes its options from the environment, as key=value:key=value. A value
// with a colon or a blank in it stands in quotes: log='a b'. `photofinish run` adds to what is
// there:
//
//   exitcode=3:log=a  and  log=b  make  exitcode=3:log=b
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_RUNTIME_OPTIONS_H
#define PHOTOFINISH_DRIVER_RUNTIME_OPTIONS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace photofinish {

using RuntimeOption = std::pair<std::string, std::string>;

/// Existing, with each of Ours in place of what it says about that key.
std::string mergeRuntimeOptions(llvm::StringRef Existing, const std::vector<RuntimeOption> &Ours);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_RUNTIME_OPTIONS_H
