//===- trace_command.h - photofinish trace --------------------------------===//
//
// Everything offline: traces in (docs/traces.md), races out. One file per verb.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_TRACE_COMMAND_H
#define PHOTOFINISH_DRIVER_TRACE_COMMAND_H

#include "driver/command_line.h"

namespace photofinish {

ExitCode runTraceCommand(Words Given);

ExitCode runTraceAnalyse(Words Given);  ///< photofinish trace FILE...
ExitCode runTraceGenerate(Words Given); ///< photofinish trace generate
ExitCode runTraceConvert(Words Given);  ///< photofinish trace convert IN OUT
ExitCode runTraceCheck(Words Given);    ///< photofinish trace check FILE...

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_TRACE_COMMAND_H
