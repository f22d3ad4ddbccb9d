//===- progress.h - How far a long analysis has come ----------------------===//
//
// One line on standard error that rewrites itself, for files that take longer than a
// second, if a person is watching: nothing at all when standard error is no terminal.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_PROGRESS_H
#define PHOTOFINISH_DRIVER_PROGRESS_H

#include "trace/stream.h"

#include <chrono>
#include <string>

namespace photofinish {

class Progress {
public:
  explicit Progress(llvm::StringRef File);
  ~Progress(); ///< clears the line
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// To be called after every operation; looks at the clock once in a while.
  void step(uint64_t Operations, const TraceSource &Source) {
    if (IsTerminal && Operations % 8192 == 0)
      update(Operations, Source);
  }

private:
  using Clock = std::chrono::steady_clock;
  void update(uint64_t Operations, const TraceSource &Source);

  std::string File;
  bool IsTerminal;
  bool IsShown = false;
  Clock::time_point Start = Clock::now();
  Clock::time_point NextUpdate = Start + std::chrono::seconds(1);
};

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_PROGRESS_H
