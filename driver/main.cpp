//===- main.cpp - The photofinish command ---------------------------------===//
//
// One command per stage of the pipeline. Today there is one stage for users, the offline
// analyser: `photofinish trace`.
//
//===----------------------------------------------------------------------===//

#include "driver/command_line.h"
#include "driver/trace_command.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

namespace photofinish {
namespace {

struct Command {
  const char *Name;
  const char *Summary;
  ExitCode (*Run)(Words);
};

constexpr Command Commands[] = {
    {"trace", "find the races in recorded executions", runTraceCommand},
};

void printHelp() {
  llvm::outs() << "usage: photofinish COMMAND ...\n\nFinds data races in C and C++ programs.\n\n";
  for (const Command &C : Commands)
    llvm::outs() << "  " << C.Name << "  " << C.Summary << '\n';
  llvm::outs() << "\nphotofinish COMMAND --help tells more; photofinish --version, the version.\n"
                  "Exit codes: 0 clean, 66 races found, 2 the command could not do its job.\n";
}

ExitCode runCommand(Words Given) {
  if (Given.empty())
    return fail("photofinish", "no command given; see photofinish --help");
  if (Given[0] == "--help" || Given[0] == "-h") {
    printHelp();
    return ExitCode::Clean;
  }
  if (Given[0] == "--version") {
    llvm::outs() << "photofinish " PHOTOFINISH_VERSION "\n";
    return ExitCode::Clean;
  }
  for (const Command &C : Commands)
    if (Given[0] == C.Name)
      return C.Run(Given.drop_front());
  return fail("photofinish", "unknown command '" + Given[0] + "'; see photofinish --help");
}

/// A reader that went away (`photofinish ... | head`) shows as a failed write, not as a signal;
/// and a standard stream that is closed from the start may not lend its number to a trace.
void prepareStandardStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  if (llvm::sys::Process::FixupStandardFileDescriptors())
    std::exit(int(ExitCode::Failure));
}

/// A reader that went away has seen all it wanted; any other failed write loses output.
ExitCode finishStandardOutput(ExitCode Code) {
  llvm::outs().flush();
  std::error_code Error = llvm::outs().error();
  llvm::outs().clear_error();
  if (Error && Error != std::errc::broken_pipe)
    return fail("photofinish", "cannot write standard output: " + Error.message());
  return Code;
}

} // namespace
} // namespace photofinish

int main(int Argc, char **Argv) {
  using namespace photofinish;
  prepareStandardStreams();
  llvm::SmallVector<llvm::StringRef> Given(Argv + 1, Argv + Argc);
  ExitCode Code = runCommand(Given);
  return int(finishStandardOutput(Code));
}
