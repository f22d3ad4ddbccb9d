//===- report_command.h - photofinish report ------------------------------===//

#ifndef PHOTOFINISH_DRIVER_REPORT_COMMAND_H
#define PHOTOFINISH_DRIVER_REPORT_COMMAND_H

#include "driver/command_line.h"

namespace photofinish {

ExitCode runReportCommand(Words Given);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_REPORT_COMMAND_H
