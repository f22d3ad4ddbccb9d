//===- command_line.cpp - The words after a command -----------------------===//

#include "driver/command_line.h"

#include "report/text.h"

#include "llvm/Support/raw_ostream.h"

namespace photofinish {

using llvm::StringRef;
using llvm::Twine;

ExitCode worse(ExitCode A, ExitCode B) {
  if (A == ExitCode::Failure || B == ExitCode::Failure)
    return ExitCode::Failure;
  return A == ExitCode::Races ? A : B;
}

ExitCode fail(StringRef Command, const Twine &Message) {
  // What has been printed so far comes first, where both streams are the same terminal.
  llvm::outs().flush();
  llvm::errs() << Command << ": " << printable(Message.str()) << '\n';
  return ExitCode::Failure;
}

CommandLine::CommandLine(StringRef Command, StringRef Operands, StringRef Summary)
    : Command(Command), OperandsHelp(Operands), Summary(Summary) {}

void CommandLine::flag(StringRef Name, bool &Value, StringRef Help) {
  Options.push_back({Name.str(), "", Help.str(), nullptr, &Value});
}

void CommandLine::text(StringRef Name, StringRef Placeholder, std::string &Value, StringRef Help) {
  option(Name, Placeholder, Help.str(), [&Value](StringRef V) {
    Value = V.str();
    return "";
  });
}

void CommandLine::option(StringRef Name, StringRef Placeholder, std::string Help, Setter Set) {
  Options.push_back({Name.str(), Placeholder.str(), std::move(Help), std::move(Set)});
}

std::optional<ExitCode> CommandLine::parse(Words Given) {
  bool OnlyOperands = false;
  while (!Given.empty()) {
    StringRef Word = Given[0];
    if (OnlyOperands || Word == "-" || !Word.starts_with("-")) {
      Operands.push_back(Word.str());
      OnlyOperands |= OperandsAreCommand;
    } else if (Word == "--") {
      OnlyOperands = true;
    } else if (Word == "--help" || Word == "-h") {
      printHelp();
      return ExitCode::Clean;
    } else if (std::string Wrong = take(Given); !Wrong.empty()) {
      return fail(Wrong);
    }
    Given = Given.drop_front();
  }
  return std::nullopt;
}

std::string CommandLine::take(Words &Rest) {
  auto [Dashed, Value] = Rest[0].split('=');
  bool HasValue = Rest[0].contains('=');
  for (const Option &O : Options) {
    if (O.Flag) {
      bool Negated = Dashed == "--no-" + O.Name;
      if (Dashed != "--" + O.Name && !Negated)
        continue;
      if (HasValue)
        return (Dashed + " takes no value").str();
      *O.Flag = !Negated;
      return "";
    }
    if (Dashed != "--" + O.Name)
      continue;
    if (!HasValue && OperandsAreCommand && Rest.size() > 1 && Rest[1] != "--") {
      Value = Rest[1];
      Rest = Rest.drop_front();
      HasValue = true;
    }
    if (!HasValue)
      return (Dashed + " needs a value: " + Dashed + "=" + O.Placeholder).str();
    std::string Wrong = O.Set(Value);
    return Wrong.empty() ? "" : (Dashed + ": '" + Value + "' " + Wrong).str();
  }
  return ("unknown option '" + Dashed + "'; see " + Command + " --help").str();
}

void CommandLine::printHelp() const {
  llvm::raw_ostream &OS = llvm::outs();
  StringRef OptionsHelp = Options.empty() ? "" : " [OPTION...]";
  OS << "usage: " << Command;
  if (OperandsAreCommand)
    OS << OptionsHelp << ' ' << OperandsHelp;
  else
    OS << ' ' << OperandsHelp << OptionsHelp;
  OS << "\n\n" << Summary << '\n';
  std::vector<std::string> Forms;
  size_t Width = 0;
  for (const Option &O : Options) {
    std::string Form = "--" + O.Name + (O.Flag ? "" : "=" + O.Placeholder);
    if (O.Flag && *O.Flag)
      Form = "--no-" + O.Name;
    // A form too long for the column gets a line of its own.
    if (Form.size() <= 24)
      Width = std::max(Width, Form.size());
    Forms.push_back(std::move(Form));
  }
  if (!Options.empty())
    OS << '\n';
  for (size_t I = 0; I < Options.size(); ++I) {
    OS << "  " << Forms[I];
    if (Forms[I].size() > Width)
      OS << '\n' << std::string(Width + 2, ' ');
    else
      OS << std::string(Width - Forms[I].size(), ' ');
    OS << "  " << Options[I].Help << '\n';
  }
  if (!Epilogue.empty())
    OS << '\n' << Epilogue;
}

} // namespace photofinish
