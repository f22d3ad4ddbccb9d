//===- trace_check.cpp - photofinish trace check FILE... ------------------===//
//
// Can the trace have happened? No detector runs; what the trace is made of is counted.
//
//===----------------------------------------------------------------------===//

#include "driver/progress.h"
#include "driver/trace_command.h"
#include "report/text.h"
#include "trace/feasibility.h"
#include "trace/trace_file.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace photofinish {

static llvm::Error checkTrace(const std::string &File) {
  auto Opened = openTrace(File);
  if (!Opened)
    return Opened.takeError();
  CheckedSource Source(**Opened);
  std::array<uint64_t, NumOpKinds> Counts{};
  uint64_t Operations = 0;
  {
    Progress Shown(File);
    Operation Op;
    while (true) {
      llvm::Expected<bool> More = Source.next(Op);
      if (!More)
        return More.takeError();
      if (!*More)
        break;
      ++Counts[unsigned(Op.Kind)];
      Shown.step(++Operations, Source);
    }
  }
  llvm::outs() << printable(File) << ": feasible, " << Operations
               << (Operations == 1 ? " operation\n" : " operations\n");
  for (unsigned I = 0; I < NumOpKinds; ++I)
    if (Counts[I])
      llvm::outs() << llvm::format("%12llu  ", (unsigned long long)Counts[I])
                   << opInfo(OpKind(I)).Name << '\n';
  return llvm::Error::success();
}

ExitCode runTraceCheck(Words Given) {
  CommandLine Line("photofinish trace check", "FILE...",
                   "Checks that traces can have happened, and counts their operations by kind.");
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  if (Line.operands().empty())
    return Line.fail("no trace given; see photofinish trace check --help");
  ExitCode Code = ExitCode::Clean;
  for (const std::string &File : Line.operands())
    if (llvm::Error E = checkTrace(File))
      Code = Line.fail(llvm::toString(std::move(E)));
  return Code;
}

} // namespace photofinish
