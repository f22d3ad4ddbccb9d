//===- main.cpp - The photofinish command ---------------------------------===//
//
// One command per stage of the pipeline. Commands that turn into another program (the
// compilers, run) leave the process as they found it; the others prepare it for themselves.
//
// Installed under the names photofinish-clang and photofinish-clang++ it is a compiler,
// for build systems that want one word.
//
//===----------------------------------------------------------------------===//

#include "driver/command_line.h"
#include "driver/compile_command.h"
#include "driver/record_command.h"
#include "driver/report_command.h"
#include "driver/run_command.h"
#include "driver/trace_command.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

namespace photofinish {
namespace {

struct Command {
  const char *Name;
  const char *Summary;
  ExitCode (*Run)(Words);
  bool BecomesAnother = false; ///< by exec, which hands on what this process ignores and opens
};

constexpr Command Commands[] = {
    {"cc", "compile and link C: clang, with checks", runCCommand, true},
    {"c++", "compile and link C++: clang++, with checks", runCxxCommand, true},
    {"run", "run a program that was built so, with options", runRunCommand, true},
    {"stats", "run it, and count what it and its checks did", runStatsCommand, true},
    {"report", "print a file of races", runReportCommand},
    {"record", "write the trace of a run (run --record starts it)", runRecordCommand},
    {"trace", "find the races in recorded executions", runTraceCommand},
};

void printHelp() {
  llvm::outs() << "usage: photofinish COMMAND ...\n\nFinds data races in C and C++ programs.\n\n";
  for (const Command &C : Commands)
    llvm::outs() << "  " << llvm::left_justify(C.Name, 6) << "  " << C.Summary << '\n';
  llvm::outs() << "\nphotofinish COMMAND --help tells more; photofinish --version, the version.\n"
                  "Exit codes: 0 clean, 66 races found, 2 the command could not do its job.\n";
}

const Command *findCommand(llvm::StringRef Name) {
  for (const Command &C : Commands)
    if (Name == C.Name)
      return &C;
  return nullptr;
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
  if (const Command *C = findCommand(Given[0]))
    return C->Run(Given.drop_front());
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
  llvm::SmallVector<llvm::StringRef> Given(Argv + 1, Argv + Argc);
  // The name may be the command.
  llvm::StringRef Name = Argc ? llvm::sys::path::filename(Argv[0]) : "";
  if (Name == "photofinish-clang" || Name == "photofinish-clang++")
    Given.insert(Given.begin(), Name == "photofinish-clang" ? "cc" : "c++");

  const Command *Known = Given.empty() ? nullptr : findCommand(Given[0]);
  if (!Known || !Known->BecomesAnother)
    prepareStandardStreams();
  ExitCode Code = runCommand(Given);
  return int(finishStandardOutput(Code));
}
