//===- command_line.h - The words after a command -------------------------===//
//
// A command declares its options with the variables they set, then parses:
//
//   CommandLine Line("photofinish trace convert", "IN OUT", "Writes a trace in the other format.");
//   Line.choice("to", To, {{"text", Format::Text}, {"binary", Format::Binary}}, "format of OUT");
//   if (std::optional<ExitCode> Done = Line.parse(Words))
//     return *Done;
//
// LLVM's own parser has one level of commands, where ours has two, and spreads its
// complaints over several lines. Here --help comes from the declarations, every mistake
// is one line on standard error, and all of them end in ExitCode::Failure.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_COMMAND_LINE_H
#define PHOTOFINISH_DRIVER_COMMAND_LINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish {

enum class ExitCode : int {
  Clean = 0,
  Failure = 2, ///< the tool could not do its job, and one line on standard error says why
  Races = 66,  ///< as ThreadSanitizer's
};

/// Of two files or steps, what the whole command ends with: Failure over Races over Clean.
ExitCode worse(ExitCode A, ExitCode B);

/// Prints "Command: Message" to standard error.
ExitCode fail(llvm::StringRef Command, const llvm::Twine &Message);

using Words = llvm::ArrayRef<llvm::StringRef>;

class CommandLine {
public:
  /// Operands is how --help shows what is no option, e.g. "FILE...".
  CommandLine(llvm::StringRef Command, llvm::StringRef Operands, llvm::StringRef Summary);

  /// --Name sets Value, --no-Name clears it; --help shows the one that changes the default.
  void flag(llvm::StringRef Name, bool &Value, llvm::StringRef Help);
  /// --Name=N; UInt is any unsigned type, and what does not fit is refused.
  template <typename UInt> void number(llvm::StringRef Name, UInt &Value, llvm::StringRef Help) {
    option(Name, "N", (Help + " (" + llvm::Twine(Value) + ")").str(), [&Value](llvm::StringRef V) {
      return V.getAsInteger(10, Value) ? "is not a number in range" : "";
    });
  }
  /// --Name=CHOICE
  template <typename T>
  void choice(llvm::StringRef Name, T &Value, std::vector<std::pair<std::string, T>> Choices,
              llvm::StringRef Help) {
    std::vector<std::string> Known;
    for (const auto &Choice : Choices)
      Known.push_back(Choice.first);
    option(Name, llvm::join(Known, "|"), Help.str(),
           [&Value, Choices = std::move(Choices), Known](llvm::StringRef V) -> std::string {
             for (const auto &[Text, Meaning] : Choices)
               if (V == Text) {
                 Value = Meaning;
                 return "";
               }
             return "is none of " + llvm::join(Known, ", ");
           });
  }
  /// --Name=TEXT, shown in --help as --Name=Placeholder.
  void text(llvm::StringRef Name, llvm::StringRef Placeholder, std::string &Value,
            llvm::StringRef Help);
  /// The operands are a command line of their own: options end at the first operand, and a
  /// value may be a word of its own (--json FILE).
  void operandsAreCommand() { OperandsAreCommand = true; }
  /// More lines for the end of --help.
  void epilogue(llvm::StringRef Text) { Epilogue = Text.str(); }

  /// Nothing if the command should go on; otherwise what it ends with, the reason having
  /// been printed (--help, or a mistake).
  std::optional<ExitCode> parse(Words Given);
  const std::vector<std::string> &operands() const { return Operands; }

  ExitCode fail(const llvm::Twine &Message) const { return photofinish::fail(Command, Message); }

private:
  /// Sets the variable; returns what is wrong with the value, or nothing.
  using Setter = std::function<std::string(llvm::StringRef)>;
  struct Option {
    std::string Name;
    std::string Placeholder; ///< empty for flags
    std::string Help;
    Setter Set;
    bool *Flag = nullptr;
  };
  void option(llvm::StringRef Name, llvm::StringRef Placeholder, std::string Help, Setter Set);
  /// Takes the option that Rest starts with, and its value from the next word where that is
  /// allowed; drops what it took. Returns what is wrong, or nothing.
  std::string take(Words &Rest);
  void printHelp() const;

  std::string Command, OperandsHelp, Summary, Epilogue;
  std::vector<Option> Options;
  std::vector<std::string> Operands;
  bool OperandsAreCommand = false;
};

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_COMMAND_LINE_H
