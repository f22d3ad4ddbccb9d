//===- terminal.h - Records as text for people ----------------------------===//
//
//   data race: write/read on 'Balance[1]' (8 bytes, global variable)
//
//     read of 8 bytes by thread T3 'auditor', holding no lock
//       #0 auditor bank.c:33:13
//          33 |   Audited = Balance[Savings];
//             |             ^
//     earlier write of 8 bytes by thread T1, holding 'BankLock'
//       ...
//     why: nothing orders the two: T1 held 'BankLock', but T3 held no lock; ...
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_TERMINAL_H
#define PHOTOFINISH_REPORT_TERMINAL_H

#include "report/record.h"
#include "report/source_snippet.h"

#include "llvm/Support/raw_ostream.h"

namespace photofinish {

class TerminalPrinter {
public:
  TerminalPrinter(llvm::raw_ostream &OS, bool Colors);

  /// The folder of the program is the second place to look for source files in.
  void setProgram(llvm::StringRef Path);

  void print(const Race &R);
  void print(const Stats &S);
  void printMessage(llvm::StringRef Text);
  /// The last line; nothing if there was no race. Repeats: how often they were seen again.
  void printSummary(uint64_t Races, uint64_t Repeats, bool Killed);

private:
  enum class Style { Bold, Alarm, Dim };
  void styled(Style S, llvm::StringRef Text);
  void printAccess(const Race &R, const Access &A, bool Earlier);
  void printStack(const Stack &S, bool WithSource);
  void printObject(const Race &R);
  void printThreads(const Race &R);
  /// "bank.c:33:13", relative to the current folder if it is below it.
  std::string place(llvm::StringRef File, uint64_t Line, uint64_t Column) const;

  llvm::raw_ostream &OS;
  bool Colors;
  std::string Folder; ///< the current one, with a slash at the end
  SourceSnippets Sources;
};

/// Without the frames of the runtime and of what starts programs and threads.
Stack withoutMachinery(const Stack &S);

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_TERMINAL_H
