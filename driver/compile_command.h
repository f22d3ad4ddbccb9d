//===- compile_command.h - photofinish cc, photofinish c++ ----------------===//
//
// Compilers: clang's command line, clang's exit code, plus instrumentation and runtime. The
// command turns into clang (exec) as soon as it knows what to add, so that signals, exit
// codes and the process id are clang's own.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_COMPILE_COMMAND_H
#define PHOTOFINISH_DRIVER_COMPILE_COMMAND_H

#include "driver/command_line.h"

namespace photofinish {

ExitCode runCCommand(Words Given);   ///< photofinish cc, photofinish-clang
ExitCode runCxxCommand(Words Given); ///< photofinish c++, photofinish-clang++

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_COMPILE_COMMAND_H
