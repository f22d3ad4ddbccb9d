//===- trace_output.h - Traces that the command writes --------------------===//

#ifndef PHOTOFINISH_DRIVER_TRACE_OUTPUT_H
#define PHOTOFINISH_DRIVER_TRACE_OUTPUT_H

#include "trace/stream.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace photofinish {

enum class TraceFormat { Text, Binary };

/// What a file of this name should contain; nothing if the name does not tell.
std::optional<TraceFormat> formatOfName(llvm::StringRef Path);

/// Writes all of Source to standard output. A reader that goes away ends the copy, and is
/// no error: it has seen all it wanted.
llvm::Error copyToStandardOutput(TraceSource &Source, TraceFormat Format);

/// Writes all of Source to the file Path, which appears whole or not at all: the trace is
/// written beside it and renamed when complete. (A pipe or a device is just written to.)
llvm::Error copyToFile(TraceSource &Source, llvm::StringRef Path, TraceFormat Format);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_TRACE_OUTPUT_H
