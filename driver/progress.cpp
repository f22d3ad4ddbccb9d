//===- progress.cpp - How far a long analysis has come --------------------===//

#include "driver/progress.h"

#include "report/text.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace photofinish {

static constexpr const char *ClearLine = "\r\033[K";

Progress::Progress(llvm::StringRef File)
    : File(printable(File)), IsTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

Progress::~Progress() {
  if (IsShown)
    llvm::errs() << ClearLine;
}

void Progress::update(uint64_t Operations, const TraceSource &Source) {
  Clock::time_point Now = Clock::now();
  if (Now < NextUpdate)
    return;
  NextUpdate = Now + std::chrono::milliseconds(200);
  IsShown = true;
  double Seconds = std::chrono::duration<double>(Now - Start).count();
  double Done = Source.progress();
  llvm::errs() << ClearLine << File << ": ";
  if (Done >= 0)
    llvm::errs() << llvm::format("%.0f%%, ", 100 * Done);
  llvm::errs() << llvm::format("%.1f million operations, %.1f million a second",
                               double(Operations) / 1e6, double(Operations) / Seconds / 1e6);
}

} // namespace photofinish
