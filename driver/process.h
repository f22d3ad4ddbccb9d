//===- process.h - Becoming another program -------------------------------===//

#ifndef PHOTOFINISH_DRIVER_PROCESS_H
#define PHOTOFINISH_DRIVER_PROCESS_H

#include "driver/command_line.h"

#include <string>
#include <vector>

namespace photofinish {

/// Replaces this process by the program at Path, with these words (its name first) and this
/// process's environment. Returns only if that fails, after the message.
ExitCode becomeProgram(llvm::StringRef Command, const std::string &Path,
                       const std::vector<std::string> &Whole);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_PROCESS_H
