//===- report_command.cpp - photofinish report ----------------------------===//

#include "driver/report_command.h"

#include "report/reporter.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace photofinish {

static ExitCode reportFile(const CommandLine &Line, ReportOptions &Options) {
  if (Line.operands().size() != 1)
    return Line.fail(Line.operands().empty() ? "no file given; see photofinish report --help"
                                             : "more than one file given");
  const std::string &File = Line.operands()[0];
  Options.Name = File;
  Options.Output = STDOUT_FILENO;
  int Input = File == "-" ? STDIN_FILENO : ::open(File.c_str(), O_RDONLY | O_CLOEXEC);
  if (Input < 0)
    return Line.fail("cannot read '" + File +
                     "': " + std::error_code(errno, std::generic_category()).message());
  Reporter R(Options);
  if (!R.run(Input))
    return ExitCode::Failure;
  return R.races() ? ExitCode::Races : ExitCode::Clean;
}

ExitCode runReportCommand(Words Given) {
  ReportOptions Options;
  CommandLine Line("photofinish report", "FILE",
                   "Prints a file of race records, as photofinish run --json writes it, as text.");
  Line.choice(
      "color", Options.Color,
      {{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}},
      "colours (auto: if the text goes to a terminal)");
  Line.text("log", "FILE", Options.Log, "append the text to FILE instead");
  Line.text("json", "FILE", Options.Json, "append the records to FILE, with names for addresses");
  Line.flag("live", Options.Live, "for the runtime: records come from standard input, a socket");
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  if (!Options.Live)
    return reportFile(Line, Options);
  Options.Name = "record";
  return Reporter(Options).run(STDIN_FILENO) ? ExitCode::Clean : ExitCode::Failure;
}

} // namespace photofinish
