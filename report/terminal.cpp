//===- terminal.cpp - Records as text for people --------------------------===//

#include "report/terminal.h"

#include "report/explain.h"
#include "report/text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace photofinish {

using llvm::StringRef;

static std::string hex(uint64_t N) { return "0x" + llvm::utohexstr(N, /*LowerCase=*/true); }

/// "byte 4", "bytes 8 to 15"
static std::string byteRange(uint64_t First, uint64_t Size) {
  if (Size <= 1)
    return "byte " + std::to_string(First);
  return "bytes " + std::to_string(First) + " to " + std::to_string(First + Size - 1);
}

/// Where programs and threads start, in the C and C++ libraries.
static bool startsThings(const Frame &F) {
  StringRef Function = F.Function, File = F.File;
  if (Function.empty())
    return llvm::sys::path::filename(F.Module).starts_with("libstdc++.so") ||
           llvm::sys::path::filename(F.Module).starts_with("libc.so");
  return llvm::StringSwitch<bool>(Function)
             .Cases("_start", "__libc_start_main", "__libc_start_call_main", true)
             .Cases("start_thread", "clone", "clone3", "__clone3", "__clone", true)
             .Case("execute_native_thread_routine", true)
             .Default(Function.starts_with("__libc_start_main@")) ||
         // std::thread's way to the function it was given, in libstdc++ and libc++.
         File.ends_with("/bits/std_thread.h") || File.ends_with("/bits/invoke.h") ||
         File.ends_with("/__thread/thread.h") || File.ends_with("/__type_traits/invoke.h");
}

static bool isRuntime(StringRef Function) {
  return Function.starts_with("__pf_") || Function.starts_with("photofinish::rt::");
}

Stack withoutMachinery(const Stack &S) {
  Stack Shown;
  for (const Frame &F : S)
    if (!isRuntime(F.Function))
      Shown.push_back(F);
  // What calls main has no name in a stripped C library.
  auto Main = std::find_if(Shown.rbegin(), Shown.rend(),
                           [](const Frame &F) { return F.Function == "main"; });
  if (Main != Shown.rend())
    Shown.erase(Main.base(), Shown.end());
  while (!Shown.empty() && startsThings(Shown.back()))
    Shown.pop_back();
  return Shown.empty() ? S : Shown;
}

/// A function that the user has not written.
static bool isLibrary(const Frame &F) {
  llvm::SmallString<256> Path(F.File.empty() ? F.Module : F.File);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.starts_with("/usr/include/") || Path.starts_with("/usr/lib/") ||
         Path.starts_with("/lib/");
}

/// The name of a function without what makes it unreadable: where it has no linkage, and, if it is
/// long, its parameters and template arguments. JSON has it all.
static std::string readableName(StringRef Name) {
  std::string Whole = Name.str();
  constexpr StringRef Anonymous = "(anonymous namespace)::";
  for (size_t At; (At = Whole.find(Anonymous)) != std::string::npos;)
    Whole.erase(At, Anonymous.size());
  constexpr size_t Long = 70;
  if (Whole.size() <= Long || Whole.find("operator") != std::string::npos)
    return Whole;
  std::string Short;
  int Depth = 0;
  for (char C : Whole) {
    if (C == '(' && !Depth)
      break;
    if (C == '<')
      ++Depth;
    if (!Depth)
      Short += C;
    if (C == '>' && Depth)
      --Depth;
  }
  return Short + "(...)";
}

TerminalPrinter::TerminalPrinter(llvm::raw_ostream &OS, bool Colors)
    : OS(OS), Colors(Colors), Sources("-") {
  llvm::SmallString<256> Current;
  if (!llvm::sys::fs::current_path(Current) && Current != "/")
    Folder = Current.str().str() + "/";
}

void TerminalPrinter::setProgram(StringRef Path) { Sources.setFolderOf(Path); }

void TerminalPrinter::styled(Style S, StringRef Text) {
  if (Colors)
    OS << (S == Style::Alarm ? "\033[1;31m" : S == Style::Bold ? "\033[1m" : "\033[2m");
  OS << Text;
  if (Colors)
    OS << "\033[0m";
}

std::string TerminalPrinter::place(StringRef File, uint64_t Line, uint64_t Column) const {
  // /usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/thread is hard to read.
  llvm::SmallString<256> Path(File);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  StringRef Short = Path;
  if (!Folder.empty())
    Short.consume_front(Folder);
  std::string Place = printable(Short);
  if (Line)
    Place += ":" + std::to_string(Line);
  if (Line && Column)
    Place += ":" + std::to_string(Column);
  return Place;
}

void TerminalPrinter::printStack(const Stack &Whole, bool WithSource) {
  Stack Shown = withoutMachinery(Whole);
  // The source is that of the user's innermost function: what it was about to do.
  auto User =
      std::find_if(Shown.begin(), Shown.end(), [](const Frame &F) { return !isLibrary(F); });
  size_t Source = User == Shown.end() ? 0 : size_t(User - Shown.begin());
  for (size_t I = 0; I < Shown.size(); ++I) {
    // A vector's way to its allocator says nothing to its user.
    size_t End = I;
    while (End < Shown.size() && End && isLibrary(Shown[End]))
      ++End;
    if (End - I > 1) {
      styled(Style::Dim, "    ... " + plural(End - I, "call") + " inside a library\n");
      I = End - 1;
      continue;
    }
    const Frame &F = Shown[I];
    styled(Style::Dim, "    #" + std::to_string(I) + " ");
    if (!F.Function.empty())
      OS << printable(readableName(F.Function));
    else
      OS << (F.Pc ? hex(*F.Pc) + " " : "") << "(unknown function"
         << (F.Module.empty() ? "" : " of " + printable(llvm::sys::path::filename(F.Module)))
         << ')';
    if (!F.File.empty())
      OS << ' ' << place(F.File, F.Line, F.Column);
    OS << '\n';
    if (WithSource && I == Source && !F.File.empty() && F.Line)
      Sources.print(OS, F.File + ":" + std::to_string(F.Line) + ":" + std::to_string(F.Column), 7);
  }
  if (Shown.empty())
    OS << "    (the stack is not known)\n";
}

void TerminalPrinter::printAccess(const Race &R, const Access &A, bool Earlier) {
  OS << "  ";
  std::string Heading = Earlier ? "earlier " : "";
  Heading += A.Type.empty() ? "access" : printable(A.Type);
  if (A.Size)
    Heading += " of " + plural(A.Size, "byte");
  Heading += " by " + threadPhrase(R, A.Thread);
  styled(Style::Bold, Heading);
  OS << ", holding ";
  if (A.Locks.empty())
    OS << "no lock";
  constexpr size_t Named = 8;
  for (size_t I = 0; I < A.Locks.size() && I < Named; ++I)
    OS << (I ? ", " : "") << lockPhrase(A.Locks[I]);
  if (A.Locks.size() > Named)
    OS << " and " << plural(A.Locks.size() - Named, "more lock");
  OS << '\n';
  printStack(A.Stack, /*WithSource=*/true);
  if (!A.Lost.empty())
    OS << "    " << printable(A.Lost) << '\n';
}

/// "write/read", the earlier one first; a race with free or munmap names the access, too.
static std::string kindOf(const Race &R) {
  if ((R.Kind == "free" || R.Kind == "unmap") && R.Accesses.size() == 2)
    return printable(R.Accesses[1].Type + "/" + R.Accesses[0].Type);
  return R.Kind == "vptr" ? "virtual table pointer" : printable(R.Kind);
}

static std::string headingOf(const Race &R) {
  const ObjectInfo &O = R.Object;
  std::string Bytes = plural(R.Size, "byte");
  std::string Heading = kindOf(R);
  if (R.Size == 0 && R.Address == 0)
    return Heading.empty() ? "of unknown kind" : Heading;
  Heading += Heading.empty() ? "on " : " on ";
  if (O.Type == "global" && !O.Name.empty())
    return Heading + "'" + printable(O.Name + O.Member) + "' (" + Bytes + ", global variable)";
  if (O.Type == "global")
    return Heading + Bytes + " of global memory at " + hex(R.Address);
  if (O.Type == "heap" && O.Start && R.Address >= *O.Start)
    return Heading + byteRange(R.Address - *O.Start, R.Size) + " of a heap block" +
           (O.Size ? " of " + plural(*O.Size, "byte") : "");
  if (O.Type == "heap")
    return Heading + Bytes + " of a heap block";
  if (O.Type == "stack")
    return Heading + Bytes + " on the stack of " + threadPhrase(R, O.Thread);
  if (O.Type == "tls")
    return Heading + Bytes + " of thread-local memory of " + threadPhrase(R, O.Thread);
  if (O.Type == "mapping" && O.Start && R.Address >= *O.Start)
    return Heading + byteRange(R.Address - *O.Start, R.Size) + " of memory mapped at " +
           hex(*O.Start);
  return Heading + Bytes + " at " + hex(R.Address);
}

void TerminalPrinter::printObject(const Race &R) {
  const ObjectInfo &O = R.Object;
  if (O.Type == "global" && !O.Name.empty()) {
    OS << "  '" << printable(O.Name) << "' is a global variable";
    if (O.Size)
      OS << " of " << plural(*O.Size, "byte");
    if (!O.File.empty())
      OS << ", declared at " << place(O.File, O.Line, 0);
    if (O.Start && O.Size && R.Size < *O.Size && R.Address >= *O.Start)
      OS << "; the race is on " << byteRange(R.Address - *O.Start, R.Size) << " of it";
    OS << '\n';
  } else if (O.Type == "heap") {
    OS << "  ";
    styled(Style::Bold, "the heap block");
    if (O.Size)
      OS << " of " << plural(*O.Size, "byte");
    if (O.Start)
      OS << " at " << hex(*O.Start);
    OS << " was allocated by " << threadPhrase(R, O.Thread) << '\n';
    printStack(O.Stack, /*WithSource=*/false);
    // If the free is one of the two, its stack has been shown.
    if (O.Freed && R.Kind != "free") {
      OS << "  and freed by " << threadPhrase(R, O.Freed->Thread) << '\n';
      printStack(O.Freed->Stack, /*WithSource=*/false);
    }
  } else if (O.Type == "mapping" && O.Start && O.Size) {
    OS << "  mapped are " << plural(*O.Size, "byte") << " at " << hex(*O.Start) << '\n';
  }
}

void TerminalPrinter::printThreads(const Race &R) {
  for (const ThreadInfo &T : R.Threads) {
    if (T.Id == 0)
      continue;
    OS << "  ";
    styled(Style::Bold, threadPhrase(R, T.Id));
    if (!T.State.empty())
      OS << " (" << printable(T.State) << ")";
    if (!T.Creator && T.Stack.empty()) {
      OS << " was started by code that Photofinish does not see\n";
      continue;
    }
    OS << " was created by " << threadPhrase(R, T.Creator) << '\n';
    printStack(T.Stack, /*WithSource=*/false);
  }
}

void TerminalPrinter::print(const Race &R) {
  styled(Style::Alarm, "data race");
  styled(Style::Bold, ": " + headingOf(R));
  OS << '\n';
  for (size_t I = 0; I < R.Accesses.size(); ++I)
    printAccess(R, R.Accesses[I], /*Earlier=*/I > 0);
  printObject(R);
  printThreads(R);
  OS << "  ";
  styled(Style::Bold, "why");
  OS << ": " << explain(R) << "\n\n";
}

void TerminalPrinter::print(const Stats &S) {
  auto Row = [&](StringRef Name, uint64_t Count) {
    std::string Words = Name.str();
    std::replace(Words.begin(), Words.end(), '_', ' ');
    OS << "  " << llvm::left_justify(printable(Words), 32)
       << llvm::format("%20llu", (unsigned long long)Count) << '\n';
  };
  styled(Style::Bold, "photofinish: statistics");
  OS << '\n';
  for (const auto &[Name, Count] : S.Counts)
    Row(Name, Count);
  if (!S.Rules.empty())
    OS << "  rules\n";
  for (const auto &[Name, Count] : S.Rules)
    Row("  " + Name, Count);
}

void TerminalPrinter::printMessage(StringRef Text) {
  OS << "photofinish: " << printable(Text) << '\n';
}

void TerminalPrinter::printSummary(uint64_t Races, uint64_t Repeats, bool Killed) {
  if (Races == 0)
    return;
  std::string Line = plural(Races, "data race") + " found";
  if (Repeats)
    Line += ", seen again " + plural(Repeats, "time");
  if (Killed)
    Line += "; the program ended before it could say whether there are more";
  styled(Style::Bold, "photofinish: " + Line);
  OS << '\n';
}

} // namespace photofinish
