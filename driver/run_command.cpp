//===- run_command.cpp - photofinish run, photofinish stats ---------------===//

#include "driver/run_command.h"

#include "driver/process.h"
#include "driver/runtime_options.h"
#include "driver/tool_path_object.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace photofinish {

using llvm::StringRef;

namespace {

/// Whether the file is a program into which no runtime was linked. What is no ELF file (a
/// script, say) may start programs that have one, and what cannot be read may, too.
bool lacksRuntime(StringRef Path) {
  llvm::Expected<llvm::object::OwningBinary<llvm::object::ObjectFile>> File =
      llvm::object::ObjectFile::createObjectFile(Path);
  if (!File) {
    llvm::consumeError(File.takeError());
    return false;
  }
  for (const llvm::object::SectionRef &Section : File->getBinary()->sections()) {
    llvm::Expected<StringRef> Name = Section.getName();
    if (!Name)
      llvm::consumeError(Name.takeError());
    else if (*Name == ToolPathSection)
      return false;
  }
  return llvm::isa<llvm::object::ELFObjectFileBase>(File->getBinary());
}

/// The program may change its folder before its first race.
std::string absolutePath(StringRef Path) {
  llvm::SmallString<256> Whole(Path);
  llvm::sys::fs::make_absolute(Whole);
  return Whole.str().str();
}

class Runner {
public:
  Runner(StringRef Command, bool AlwaysStats, StringRef Summary)
      : Line(Command, "-- PROGRAM ARGUMENT...", Summary), Stats(AlwaysStats) {
    Line.operandsAreCommand();
    Line.text("json", "FILE", Json, "write the races to FILE, too, as JSON lines");
    Line.text("log", "FILE", Log, "write the report to FILE, not to standard error");
    Line.number("exit-code", Code, "what the program ends with if it has a race");
    Line.text("record", "FILE", Record, "record the run as a trace for photofinish trace");
    Line.choice(
        "color", Color,
        {{"auto", Auto}, {"always", std::string("always")}, {"never", std::string("never")}},
        "colours in the report (auto: if it goes to a terminal)");
    if (!AlwaysStats)
      Line.flag("stats", Stats, "print counts of accesses, checks, rules and memory at the end");
    Line.epilogue(
        "In FILE, %p stands for the number of the process. PROGRAM's exit code is its own "
        "if it has\nno race. More options: PHOTOFINISH_OPTIONS=help=1 PROGRAM.\n");
  }

  ExitCode run(Words Given);

private:
  /// Finds out whether FILE can be written, and starts it afresh: the processes of the run
  /// only ever append. With %p, each has a file of its own.
  std::string prepare(StringRef Option, const std::string &File);
  std::vector<RuntimeOption> options() const;

  const std::string Auto = "auto";
  CommandLine Line;
  std::string Json, Log, Record, Color;
  unsigned Code = int(ExitCode::Races);
  bool Stats;
};

std::string Runner::prepare(StringRef Option, const std::string &File) {
  if (File.empty())
    return "";
  if (StringRef(File).contains('\''))
    return ("--" + Option + ": '" + File + "' has a quote in it, which options cannot pass on")
        .str();
  if (StringRef(File).contains("%p"))
    return "";
  std::error_code Error;
  llvm::raw_fd_ostream OS(File, Error);
  return Error ? ("--" + Option + ": cannot write '" + File + "': " + Error.message()).str() : "";
}

std::vector<RuntimeOption> Runner::options() const {
  std::vector<RuntimeOption> Ours;
  if (!Json.empty())
    Ours.emplace_back("json", absolutePath(Json));
  if (!Log.empty())
    Ours.emplace_back("log", absolutePath(Log));
  if (!Record.empty())
    Ours.emplace_back("record", absolutePath(Record));
  if (Code != unsigned(ExitCode::Races))
    Ours.emplace_back("exitcode", std::to_string(Code));
  if (!Color.empty())
    Ours.emplace_back("color", Color);
  if (Stats)
    Ours.emplace_back("stats", "1");
  return Ours;
}

ExitCode Runner::run(Words Given) {
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  if (Line.operands().empty())
    return Line.fail("no program given; see photofinish run --help");
  if (Code > 255)
    return Line.fail("--exit-code: '" + llvm::Twine(Code) + "' is not in the range 0 to 255");
  const std::string &Program = Line.operands()[0];
  // A name without a slash is looked up in PATH, as a shell does.
  llvm::ErrorOr<std::string> Path = llvm::sys::findProgramByName(Program);
  if (!Path || llvm::sys::fs::is_directory(*Path))
    return Line.fail("no program '" + Program + "'");
  if (!llvm::sys::fs::can_execute(*Path))
    return Line.fail(llvm::sys::fs::exists(*Path) ? "'" + Program + "' is not executable"
                                                  : "no program '" + Program + "'");
  if (lacksRuntime(*Path))
    return Line.fail("'" + Program + "' was not built with photofinish cc or photofinish c++");
  for (const auto &[Option, File] : {std::pair("json", Json), {"log", Log}, {"record", Record}})
    if (std::string Wrong = prepare(Option, File); !Wrong.empty())
      return Line.fail(Wrong);
  const char *Existing = std::getenv("PHOTOFINISH_OPTIONS");
  std::string Merged = mergeRuntimeOptions(Existing ? Existing : "", options());
  if (!Merged.empty())
    setenv("PHOTOFINISH_OPTIONS", Merged.c_str(), /*overwrite=*/1);
  return becomeProgram("photofinish run", *Path, Line.operands());
}

} // namespace

ExitCode runRunCommand(Words Given) {
  return Runner(
             "photofinish run", /*AlwaysStats=*/false,
             "Runs a program that was built with photofinish cc or photofinish c++, and reports\n"
             "its data races.")
      .run(Given);
}

ExitCode runStatsCommand(Words Given) {
  return Runner(
             "photofinish stats", /*AlwaysStats=*/true,
             "As photofinish run, and prints counts of accesses, checks, rules and memory at the\n"
             "end.")
      .run(Given);
}

} // namespace photofinish
