//===- trace_convert.cpp - photofinish trace convert IN OUT ---------------===//
//
// The input is not checked for feasibility, so that a bad trace can be looked at, too.
//
//===----------------------------------------------------------------------===//

#include "driver/trace_command.h"
#include "driver/trace_output.h"
#include "trace/trace_file.h"

namespace photofinish {

ExitCode runTraceConvert(Words Given) {
  CommandLine Line("photofinish trace convert", "IN OUT",
                   "Writes a trace in the other format; - is standard input or output.");
  std::optional<TraceFormat> To;
  Line.choice(
      "to", To,
      {{"text", std::optional(TraceFormat::Text)}, {"binary", std::optional(TraceFormat::Binary)}},
      "format of OUT, if its name does not tell");
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  if (Line.operands().size() != 2)
    return Line.fail("needs IN and OUT; see photofinish trace convert --help");
  const std::string &In = Line.operands()[0], &Out = Line.operands()[1];
  if (llvm::StringRef(Out).ends_with(".gz"))
    return Line.fail("'" + Out +
                     "': writes no compressed traces; write to - and pipe through gzip");
  if (!To)
    To = Out == "-" ? TraceFormat::Text : formatOfName(Out);
  if (!To)
    return Line.fail("the name '" + Out + "' tells no format; add --to=text or --to=binary");

  llvm::Expected<std::unique_ptr<TraceSource>> Source = openTrace(In);
  if (!Source)
    return Line.fail(llvm::toString(Source.takeError()));
  if (llvm::Error E =
          Out == "-" ? copyToStandardOutput(**Source, *To) : copyToFile(**Source, Out, *To))
    return Line.fail(llvm::toString(std::move(E)));
  return ExitCode::Clean;
}

} // namespace photofinish
