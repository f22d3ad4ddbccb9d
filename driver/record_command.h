//===- record_command.h - photofinish record --------------------------------===//

#ifndef PHOTOFINISH_DRIVER_RECORD_COMMAND_H
#define PHOTOFINISH_DRIVER_RECORD_COMMAND_H

#include "driver/command_line.h"

namespace photofinish {

/// Writes the trace of a program that runs with record=FILE; started by its runtime.
ExitCode runRecordCommand(Words Given);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_RECORD_COMMAND_H
