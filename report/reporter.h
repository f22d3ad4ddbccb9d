//===- reporter.h - From a stream of records to reports -------------------===//
//
// Reads lines, resolves them, prints them. Runs in a process of its own (`photofinish report
// --live`), started by a program's runtime when it has something to say, so that reading debug
// information happens neither in the program's memory nor in its time.
//
// Each record becomes one write to each output, appended: several processes of one run may
// share a file, and a report is never torn apart by what the program prints.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_REPORTER_H
#define PHOTOFINISH_REPORT_REPORTER_H

#include "report/symbolize.h"
#include "report/terminal.h"

#include "llvm/ADT/SmallString.h"

#include <functional>

namespace photofinish {

enum class ColorMode { Auto, Always, Never };

struct ReportOptions {
  ColorMode Color = ColorMode::Auto;
  std::string Log;  ///< text goes here; empty for Output
  std::string Json; ///< resolved records go here; empty for nowhere
  int Output = 2;   ///< file descriptor for the text
  bool Live = false;
  std::string Name; ///< of the input, for messages
};

class Reporter {
public:
  explicit Reporter(ReportOptions Given);

  /// Reads and prints until the end of the file. False if something could not be read, and a
  /// line on standard error says what.
  bool run(int Input);
  uint64_t races() const { return Races; }

private:
  /// Whether the runtime waits for an answer to this line.
  bool handle(llvm::StringRef Line);
  void print(const Record &R);
  void open();
  int openFile(const std::string &Path);
  void complain(const llvm::Twine &Message);

  ReportOptions Options;
  int TextFile = -1, JsonFile = -1;
  uint64_t LineNumber = 0, Races = 0, Repeats = 0;
  bool Ended = false;
  bool Failed = false;
  Symbolizer Symbols;
  std::string Text; ///< of the record that is being printed
  llvm::raw_string_ostream TextStream;
  std::unique_ptr<TerminalPrinter> Printer;
};

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_REPORTER_H
