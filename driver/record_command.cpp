//===- record_command.cpp - photofinish record -------------------------------===//

#include "driver/record_command.h"

#include "driver/recorded_run.h"
#include "driver/trace_output.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace photofinish {

static bool isSocket(int Descriptor) {
  struct stat Status;
  return fstat(Descriptor, &Status) == 0 && S_ISSOCK(Status.st_mode);
}

ExitCode runRecordCommand(Words Given) {
  bool Live = false;
  CommandLine Line(
      "photofinish record", "FILE",
      "Writes the trace of a run. For the runtime: to record a run, use photofinish run "
      "--record=FILE.");
  Line.flag("live", Live, "events come from standard input, a socket");
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  if (!Live || Line.operands().size() != 1 || !isSocket(STDIN_FILENO))
    return Line.fail("it is started by programs; use photofinish run --record=FILE -- PROGRAM");
  RecordedRun Run(STDIN_FILENO);
  if (llvm::Error E = copyToFile(Run, Line.operands()[0], TraceFormat::Binary))
    return Line.fail(llvm::toString(std::move(E)));
  std::optional<std::string> Misplaced = Run.misplaced();
  if (Run.isComplete())
    Run.answer(Misplaced ? PF_RECORDED_MISPLACED : '.');
  return Misplaced ? Line.fail(*Misplaced) : ExitCode::Clean;
}

} // namespace photofinish
