//===- trace_command.cpp - photofinish trace ------------------------------===//
//
// The first word decides: a verb, or the files to analyse. (A file that is named like a
// verb is still reachable as ./generate.)
//
//===----------------------------------------------------------------------===//

#include "driver/trace_command.h"

namespace photofinish {

ExitCode runTraceCommand(Words Given) {
  if (!Given.empty() && Given[0] == "generate")
    return runTraceGenerate(Given.drop_front());
  if (!Given.empty() && Given[0] == "convert")
    return runTraceConvert(Given.drop_front());
  if (!Given.empty() && Given[0] == "check")
    return runTraceCheck(Given.drop_front());
  return runTraceAnalyse(Given);
}

} // namespace photofinish
