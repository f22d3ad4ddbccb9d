//===- compile_command.cpp - photofinish cc, photofinish c++ --------------===//

#include "driver/compile_command.h"

#include "driver/clang_arguments.h"
#include "driver/installation.h"
#include "driver/process.h"
#include "driver/tool_path_object.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

namespace photofinish {

using llvm::StringRef;

namespace {

class Compiler {
public:
  explicit Compiler(bool ForCxx)
      : ForCxx(ForCxx), Command(ForCxx ? "photofinish c++" : "photofinish cc") {}

  ExitCode run(Words Given);

private:
  void printHelp() const;
  void addCompileFlags();
  void addArchive(StringRef Name, StringRef What);
  void addDynamicRuntime();
  void addStaticRuntime();
  void addStaticLibraries();
  ExitCode addRuntime();
  ExitCode addWords();
  std::vector<std::string> wholeCommandLine(Words Given) const;
  /// The path of a part of the installation; if it isn't there, Missing says so.
  std::string part(StringRef Name, StringRef What);
  void add(const llvm::Twine &Word) { Front.push_back(Word.str()); }

  bool ForCxx;
  StringRef Command;
  ClangArguments Arguments;
  std::vector<std::string> Front, Back; ///< what is added before and after the user's words
  std::string Missing;
};

std::string Compiler::part(StringRef Name, StringRef What) {
  std::string Path = libraryFile(Name);
  if (Missing.empty() && !llvm::sys::fs::exists(Path))
    Missing = "cannot find " + What.str() + ": no file '" + Path +
              "'; build or install Photofinish completely";
  return Path;
}

/// Before the user's words, so that theirs win where options contradict each other.
void Compiler::addCompileFlags() {
  std::string Plugin = part("libphotofinish-placement.so", "the compiler pass");
  add("-fpass-plugin=" + Plugin);
  // The plugin's own options are known only when it is loaded before they are read.
  auto AddPluginOption = [&](const llvm::Twine &Option) {
    for (StringRef Word : {StringRef("-Xclang"), StringRef("-load"), StringRef("-Xclang"),
                           StringRef(Plugin), StringRef("-mllvm")})
      add(Word);
    add(Option);
  };
  if (!Arguments.Placement.empty())
    AddPluginOption("-photofinish-placement=" + Arguments.Placement);
  if (Arguments.Verifies)
    AddPluginOption("-photofinish-verify");
  if (Arguments.PrintsStats)
    AddPluginOption("-photofinish-stats");
  if (Arguments.InlinesChecks)
    AddPluginOption(*Arguments.InlinesChecks ? "-photofinish-inline-checks=true"
                                             : "-photofinish-inline-checks=false");
  // Clang's own ThreadSanitizer marks the functions to instrument (and honours every way to opt
  // out), answers __has_feature, and keeps the optimizer from inventing accesses; the plugin
  // instruments in its place. Its runtime is left out. In a command line that also links and
  // has another sanitizer, that would leave out the other one's runtime, too: there, only the
  // compiler proper is told, and not the part of clang that links.
  if (Arguments.Link != LinkKind::None && Arguments.OtherSanitizer) {
    add("-Xclang");
    add("-fsanitize=thread");
  } else {
    add("-fsanitize=thread");
    add("-fno-sanitize-link-runtime");
    add("-fno-sanitize-link-c++-runtime");
  }
  // gcc's name for what clang calls __has_feature(thread_sanitizer).
  add("-D__SANITIZE_THREAD__=1");
  // So that reports show source; any -g option of the user's comes later, and wins.
  add("-gline-tables-only");
}

void Compiler::addArchive(StringRef Name, StringRef What) {
  // Through -Xlinker, because a path may contain a comma.
  for (std::string Word :
       {std::string("--whole-archive"), part(Name, What), std::string("--no-whole-archive")}) {
    add("-Xlinker");
    add(Word);
  }
}

void Compiler::addDynamicRuntime() {
  addArchive("libphotofinish-rt.a", "the runtime");
  add("-Xlinker");
  add("--dynamic-list=" + part("photofinish.syms", "the runtime's list of symbols"));
}

void Compiler::addStaticRuntime() {
  // In C++ it also stands in for functions of the C++ library, which a C program does not have.
  bool IsCxx = ForCxx || Arguments.NamesCxxLibrary;
  addArchive(IsCxx ? "libphotofinish-rt-static-cxx.a" : "libphotofinish-rt-static.a",
             "the runtime for static programs");
  add("@" +
      part(IsCxx ? "static-wraps-cxx.rsp" : "static-wraps.rsp", "the runtime's list of functions"));
}

/// After the user's words: the libraries that clang would add, with libc between two objects that
/// tell the runtime which of the redirected calls are libc's own.
void Compiler::addStaticLibraries() {
  auto AddLast = [&](StringRef Word) { Back.push_back(Word.str()); };
  AddLast("-nodefaultlibs");
  if (ForCxx) {
    AddLast(Arguments.UsesLibCxx ? "-lc++" : "-lstdc++");
    if (Arguments.UsesLibCxx)
      AddLast("-lc++abi");
    AddLast("-lm");
  }
  std::string Begin = part("libc-begin.o", "an object for static programs");
  std::string End = part("libc-end.o", "an object for static programs");
  for (StringRef Word : {StringRef("-Xlinker"), StringRef(Begin), StringRef("-Wl,--start-group"),
                         StringRef("-lgcc"), StringRef("-lgcc_eh"), StringRef("-lc"),
                         StringRef("-Wl,--end-group"), StringRef("-Xlinker"), StringRef(End)})
    AddLast(Word);
}

/// Before the user's words, so that no other library's malloc, say, comes first.
ExitCode Compiler::addRuntime() {
  if (Arguments.Link == LinkKind::StaticExecutable) {
    addStaticRuntime();
    addStaticLibraries();
  } else {
    addDynamicRuntime();
  }
  // What the runtime calls; recorded in the program only where the C library keeps it apart.
  add("-Wl,--push-state,--as-needed");
  for (StringRef Library : {"-lpthread", "-ldl", "-lrt", "-lm"})
    add(Library);
  add("-Wl,--pop-state");
  if (!Missing.empty())
    return fail(Command, Missing);
  llvm::Expected<std::string> Object = shareWithDescendants(toolPathObject(toolPath()));
  if (!Object)
    return fail(Command, "cannot prepare the link: " + llvm::toString(Object.takeError()));
  add("-Xlinker");
  add(*Object);
  return ExitCode::Clean;
}

void Compiler::printHelp() const {
  llvm::outs()
      << "usage: " << Command << R"( CLANG-ARGUMENT...

A C)" << (ForCxx ? "++" : "")
      << R"( compiler whose programs find their own data races: clang 19, with checks compiled
in and Photofinish's runtime linked. Every option of clang's works as usual.

  -fno-photofinish  compile without checks; when linking, leave the runtime out
  -fphotofinish     undo -fno-photofinish
  -fphotofinish-placement=access|redcard|bigfoot
                    where checks go: before every access; before those that no other check
                    covers; or where one check covers as many as can be, loops as a whole
  -fphotofinish-inline-checks, -fno-photofinish-inline-checks
                    look inline whether there is something to check, which mode=slimstate
                    knows; without either, as -fphotofinish-placement=bigfoot does
  -fphotofinish-verify
                    for a recorded run that shows whether checks are where they should be
  -fphotofinish-stats
                    say what became of each function's accesses: how many checks were removed,
                    moved out of loops and joined

The environment: PHOTOFINISH_CLANG and PHOTOFINISH_CLANGXX name other compilers to use than
  )" << clangPath(false)
      << "\n  " << clangPath(true) << R"(
A program's options are in the variable PHOTOFINISH_OPTIONS (help=1 lists them).

For clang's own options: )"
      << clangPath(ForCxx) << " --help\n";
}

/// All that depends on what the user's words are about to do.
ExitCode Compiler::addWords() {
  // What is added is not the user's, who is not to be warned about it.
  add("--start-no-unused-arguments");
  if (Arguments.Compiles)
    addCompileFlags();
  if (!Missing.empty())
    return fail(Command, Missing);
  // GNU ld needs a plugin for LLVM's objects that not every system has, and does not redirect
  // references (--wrap) within them.
  if (Arguments.LinkTimeOptimization && !Arguments.ChoosesLinker &&
      Arguments.Link != LinkKind::None)
    add("-fuse-ld=lld");
  if (Arguments.Link == LinkKind::Executable || Arguments.Link == LinkKind::StaticExecutable)
    if (ExitCode Code = addRuntime(); Code != ExitCode::Clean)
      return Code;
  add("--end-no-unused-arguments");
  // A library's checks call the runtime, which is in the program that loads the library.
  if (Arguments.Link == LinkKind::SharedLibrary && Arguments.ForbidsUndefined)
    Back.emplace_back("-Wl,--unresolved-symbols=ignore-in-object-files");
  return ExitCode::Clean;
}

std::vector<std::string> Compiler::wholeCommandLine(Words Given) const {
  std::vector<std::string> Whole = {clangPath(ForCxx)};
  Whole.insert(Whole.end(), Front.begin(), Front.end());
  // After "--" there are only inputs.
  const StringRef *Inputs = llvm::find(Given, "--");
  for (StringRef Word : llvm::make_range(Given.begin(), Inputs))
    if (!isOwnOption(Word))
      Whole.push_back(Word.str());
  Whole.insert(Whole.end(), Back.begin(), Back.end());
  Whole.insert(Whole.end(), Inputs, Given.end());
  return Whole;
}

ExitCode Compiler::run(Words Given) {
  // Clang reads response files itself; here they are read only to know what they say.
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *> Raw;
  for (StringRef Word : Given)
    Raw.push_back(Word.data());
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Raw);
  llvm::SmallVector<StringRef> Expanded(Raw.begin(), Raw.end());
  Arguments = readClangArguments(Given, Expanded);

  if (Arguments.AsksForHelp) {
    printHelp();
    return ExitCode::Clean;
  }
  if (Arguments.Instruments && !Arguments.IsQuestion) {
    if (!Arguments.Unsupported.empty())
      return fail(Command, Arguments.Unsupported);
    if (ExitCode Code = addWords(); Code != ExitCode::Clean)
      return Code;
  }
  std::vector<std::string> Whole =
      wholeCommandLine(Arguments.OwnOptionInFile ? Words(Expanded) : Given);
  return becomeProgram(Command, Whole[0], Whole);
}

} // namespace

ExitCode runCCommand(Words Given) { return Compiler(/*ForCxx=*/false).run(Given); }
ExitCode runCxxCommand(Words Given) { return Compiler(/*ForCxx=*/true).run(Given); }

} // namespace photofinish
