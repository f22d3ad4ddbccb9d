//===- run_command.h - photofinish run, photofinish stats -----------------===//
//
// A program built with `photofinish cc` finds its races however it is started; these commands
// only spare the user the environment variable, and tell early when the program was not built
// that way. Like env(1), they become the program: its exit code and signals are its own.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_RUN_COMMAND_H
#define PHOTOFINISH_DRIVER_RUN_COMMAND_H

#include "driver/command_line.h"

namespace photofinish {

ExitCode runRunCommand(Words Given);
ExitCode runStatsCommand(Words Given);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_RUN_COMMAND_H
