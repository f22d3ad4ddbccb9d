//===- clang_arguments.cpp - What a clang command line is about to do -----===//

#include "driver/clang_arguments.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <iterator>

namespace photofinish {

using llvm::StringRef;
using llvm::Twine;

namespace {

struct SeparateOption {
  const char *Name;
  unsigned Words;
};
constexpr SeparateOption SeparateOptions[] = {
#define SEPARATE(option, words) {option, words},
#include "driver/clang_options.def"
};

unsigned wordsAfter(StringRef Word) {
  for (const SeparateOption &O : SeparateOptions)
    if (Word == O.Name)
      return O.Words;
  return 0;
}

constexpr llvm::StringLiteral PlacementOption = "-fphotofinish-placement=";
constexpr llvm::StringLiteral VerifyOption = "-fphotofinish-verify";
constexpr llvm::StringLiteral StatsOption = "-fphotofinish-stats";
constexpr llvm::StringLiteral InlineOption = "-fphotofinish-inline-checks";
constexpr llvm::StringLiteral NoInlineOption = "-fno-photofinish-inline-checks";

enum class InputKind { Object, Source, Header, Unsupported };

/// A language that -x names, or an extension stands for.
struct Language {
  InputKind Kind;
  const char *Name; ///< of an unsupported one
};

Language languageOfExtension(StringRef Extension) {
  return llvm::StringSwitch<Language>(Extension)
      .Cases(".c", ".i", ".C", ".cc", ".cp", ".cpp", {InputKind::Source, ""})
      .Cases(".cxx", ".c++", ".CC", ".CPP", ".CXX", ".C++", {InputKind::Source, ""})
      .Cases(".ii", ".iim", ".iih", ".cppm", ".ccm", ".cxxm", {InputKind::Source, ""})
      .Cases(".c++m", ".ixx", ".pcm", ".ast", ".ll", ".bc", {InputKind::Source, ""})
      .Cases(".s", ".S", ".sx", ".asm", {InputKind::Source, ""})
      .Cases(".h", ".hh", ".H", ".hp", ".hpp", {InputKind::Header, ""})
      .Cases(".hxx", ".h++", ".HPP", ".HXX", ".H++", {InputKind::Header, ""})
      .Cases(".m", ".mi", ".mm", ".M", ".mii", {InputKind::Unsupported, "Objective-C"})
      .Cases(".cu", ".cui", {InputKind::Unsupported, "CUDA"})
      .Cases(".hip", ".hipi", {InputKind::Unsupported, "HIP"})
      .Cases(".cl", ".clcpp", ".cli", ".clii", {InputKind::Unsupported, "OpenCL"})
      .Case(".hlsl", {InputKind::Unsupported, "HLSL"})
      .Cases(".f", ".F", ".for", ".FOR", ".fpp", ".FPP", {InputKind::Unsupported, "Fortran"})
      .Cases(".f90", ".F90", ".f95", ".F95", ".f03", ".f08", {InputKind::Unsupported, "Fortran"})
      .Default({InputKind::Object, ""});
}

Language languageNamed(StringRef X) {
  if (X.starts_with("objective-c"))
    return {InputKind::Unsupported, "Objective-C"};
  if (X.starts_with("cuda"))
    return {InputKind::Unsupported, "CUDA"};
  if (X.starts_with("hip"))
    return {InputKind::Unsupported, "HIP"};
  if (X == "cl" || X == "clcpp")
    return {InputKind::Unsupported, "OpenCL"};
  if (X == "hlsl")
    return {InputKind::Unsupported, "HLSL"};
  if (X.starts_with("f77") || X.starts_with("f95"))
    return {InputKind::Unsupported, "Fortran"};
  return {X.contains("header") || X.ends_with("-unit") ? InputKind::Header : InputKind::Source, ""};
}

/// Options after which nothing is linked.
bool stopsBeforeLink(StringRef Word) {
  return llvm::StringSwitch<bool>(Word)
      .Cases("-c", "-S", "-E", "-M", "-MM", true)
      .Cases("--compile", "--assemble", "--preprocess", "--dependencies", "--user-dependencies",
             true)
      .Cases("-fsyntax-only", "--precompile", "-emit-ast", "-emit-interface-stubs", true)
      .Cases("--analyze", "-verify-pch", "-module-file-info", "-extract-api", true)
      .Default(Word.starts_with("-fmodule-header"));
}

/// Options that make clang answer and do nothing else.
bool isQuestion(StringRef Word) {
  return llvm::StringSwitch<bool>(Word)
             .Cases("--version", "-dumpversion", "-dumpmachine", "--help-hidden", true)
             .Cases("-cc1", "-cc1as", "-cc1gen-reproducer", true)
             .Default(false) ||
         Word.starts_with("-print-") || Word.starts_with("--print-") ||
         Word.starts_with("--autocomplete=");
}

/// UndefinedBehaviorSanitizer's checks: they are code of their own and touch no shadow. All
/// others bring a runtime that wants the same functions, or the same memory, as ours.
bool worksWithOurs(StringRef Sanitizer) {
  static const llvm::StringSet<> Known = {
      "undefined",
      "undefined-trap",
      "alignment",
      "array-bounds",
      "bool",
      "bounds",
      "builtin",
      "enum",
      "float-cast-overflow",
      "float-divide-by-zero",
      "function",
      "integer-divide-by-zero",
      "nonnull-attribute",
      "null",
      "nullability",
      "nullability-arg",
      "nullability-assign",
      "nullability-return",
      "object-size",
      "pointer-overflow",
      "return",
      "returns-nonnull-attribute",
      "shift",
      "shift-base",
      "shift-exponent",
      "signed-integer-overflow",
      "unreachable",
      "vla-bound",
      "vptr",
      "integer",
      "implicit-conversion",
      "implicit-integer-conversion",
      "implicit-integer-truncation",
      "implicit-integer-arithmetic-value-change",
      "implicit-integer-sign-change",
      "implicit-signed-integer-truncation",
      "implicit-unsigned-integer-truncation",
      "implicit-bitfield-conversion",
      "unsigned-integer-overflow",
      "unsigned-shift-base",
      "local-bounds",
  };
  return Known.contains(Sanitizer);
}

class Reader {
public:
  ClangArguments read(Words Expanded);

private:
  /// Reads Expanded[I] and the words that belong to it; returns how many these are.
  size_t readOption(Words Rest);
  void readInput(StringRef Word);
  void readTarget(StringRef Name);
  void readSanitizers(StringRef List, bool On);
  void readLinkerWord(StringRef Word);
  void readPlacement(StringRef How);
  void judge();
  void unsupported(const Twine &What) {
    if (A.Unsupported.empty())
      A.Unsupported = What.str();
  }

  ClangArguments A;
  std::string GivenLanguage; ///< -x; empty for none
  std::string Target;
  std::string LastLinkerWord;
  llvm::StringSet<> Sanitizers;
  std::string NoStandardLibrary; ///< the option that leaves out what the runtime needs
  bool StopsBeforeLink = false;
  bool HidesArchives = false; ///< the runtime among them
  bool HasInput = false, HasLinkInput = false;
  bool Shared = false, Static = false, Relocatable = false;
};

void Reader::readInput(StringRef Word) {
  HasInput = true;
  Language L = GivenLanguage.empty() ? languageOfExtension(llvm::sys::path::extension(Word))
                                     : languageNamed(GivenLanguage);
  if (L.Kind == InputKind::Unsupported)
    unsupported(Twine(L.Name) + " is not supported ('" + Word + "'); compile it with clang");
  A.Compiles |= L.Kind != InputKind::Object;
  HasLinkInput |= L.Kind != InputKind::Header;
}

void Reader::readTarget(StringRef Name) {
  llvm::Triple T(llvm::Triple::normalize(Name));
  bool Known = T.getArch() == llvm::Triple::x86_64 && T.isOSLinux() &&
               (T.getEnvironment() == llvm::Triple::GNU ||
                T.getEnvironment() == llvm::Triple::UnknownEnvironment);
  Target = Known ? "" : Name.str();
}

void Reader::readSanitizers(StringRef List, bool On) {
  llvm::SmallVector<StringRef> Names;
  List.split(Names, ',');
  for (StringRef Name : Names) {
    if (On)
      Sanitizers.insert(Name);
    else if (Name == "all")
      Sanitizers.clear();
    else
      Sanitizers.erase(Name);
  }
}

void Reader::readLinkerWord(StringRef Word) {
  if (Word == "-r" || Word == "--relocatable" || Word == "-i")
    Relocatable = true;
  if (Word == "-shared" || Word == "--shared" || Word == "-Bshareable")
    Shared = true;
  if (Word == "--no-undefined" || Word == "-no-undefined" || Word == "-zdefs" ||
      (Word == "defs" && LastLinkerWord == "-z"))
    A.ForbidsUndefined = true;
  StringRef Option = Word.ltrim('-');
  HidesArchives |= Option == "exclude-libs=ALL" ||
                   (Word == "ALL" && StringRef(LastLinkerWord).ltrim('-') == "exclude-libs");
  LastLinkerWord = Word.str();
}

void Reader::readPlacement(StringRef How) {
  if (How == "access" || How == "redcard" || How == "bigfoot")
    A.Placement = How.str();
  else
    unsupported("'" + Twine(PlacementOption) + How +
                "' is not known: checks are placed by 'access', 'redcard' or 'bigfoot'");
}

size_t Reader::readOption(Words Rest) {
  StringRef Word = Rest[0];
  size_t Count = std::min<size_t>(wordsAfter(Word), Rest.size() - 1);
  StringRef Value = Count ? Rest[1] : "";

  if (Word.consume_front(PlacementOption)) {
    readPlacement(Word);
  } else if (Word == VerifyOption) {
    A.Verifies = true;
  } else if (Word == StatsOption) {
    A.PrintsStats = true;
  } else if (Word == InlineOption || Word == NoInlineOption) {
    A.InlinesChecks = Word == InlineOption;
  } else if (isOwnOption(Word)) {
    A.Instruments = Word == "-fphotofinish";
  } else if (isQuestion(Word)) {
    A.IsQuestion = true;
  } else if (Word == "--help" || Word == "-help") {
    A.AsksForHelp = true;
  } else if (stopsBeforeLink(Word)) {
    StopsBeforeLink = true;
  } else if (Word == "-x" || Word == "--language") {
    GivenLanguage = Value == "none" ? "" : Value.str();
  } else if (Word.starts_with("-x") || Word.consume_front("--language=")) {
    Word.consume_front("-x");
    GivenLanguage = Word == "none" ? "" : Word.str();
  } else if (Word == "-target") {
    readTarget(Value);
  } else if (Word.consume_front("--target=")) {
    readTarget(Word);
  } else if (Word == "-m32" || Word == "-m16" || Word == "-mx32") {
    Target = Word.str();
  } else if (Word == "-m64") {
    Target.clear();
  } else if (Word.consume_front("-fsanitize=")) {
    readSanitizers(Word, true);
  } else if (Word.consume_front("-fno-sanitize=")) {
    readSanitizers(Word, false);
  } else if (Word == "-flto" || Word.starts_with("-flto=")) {
    A.LinkTimeOptimization = true;
  } else if (Word == "-fno-lto") {
    A.LinkTimeOptimization = false;
  } else if (Word.starts_with("-fuse-ld=") || Word.starts_with("--ld-path=")) {
    A.ChoosesLinker = true;
  } else if (Word.consume_front("-stdlib=")) {
    A.UsesLibCxx = Word == "libc++";
  } else if (Word == "-shared" || Word == "--shared") {
    Shared = true;
  } else if (Word == "-static" || Word == "--static" || Word == "-static-pie") {
    Static = true;
  } else if (Word == "-r") {
    Relocatable = true;
  } else if (Word == "-nostdlib" || Word == "--no-standard-libraries" || Word == "-nodefaultlibs" ||
             Word == "-nolibc" || Word == "-nostartfiles" || Word == "-ffreestanding") {
    NoStandardLibrary = Word.str();
  } else if (Word.consume_front("-Wl,")) {
    HasInput = HasLinkInput = true;
    llvm::SmallVector<StringRef> Parts;
    Word.split(Parts, ',');
    for (StringRef Part : Parts)
      readLinkerWord(Part);
  } else if (Word == "-Xlinker" || Word == "--for-linker") {
    HasInput = HasLinkInput = true;
    readLinkerWord(Value);
  } else if (Word == "-z") {
    HasInput = HasLinkInput = true;
    readLinkerWord("-z");
    readLinkerWord(Value);
  } else if (Word.starts_with("-l")) {
    HasInput = HasLinkInput = true;
    StringRef Library = Word == "-l" ? Value : Word.drop_front(2);
    A.NamesCxxLibrary |= Library == "stdc++" || Library == "c++";
  }
  return Count;
}

void Reader::judge() {
  if (!HasInput && !A.AsksForHelp)
    A.IsQuestion = true;
  if (!StopsBeforeLink && HasLinkInput) {
    if (Relocatable)
      A.Link = LinkKind::Relocatable;
    else if (Shared)
      A.Link = LinkKind::SharedLibrary;
    else
      A.Link = Static ? LinkKind::StaticExecutable : LinkKind::Executable;
  }
  if (!Target.empty())
    unsupported("'" + Target + "' is not supported: only x86_64-linux-gnu programs are");
  for (const auto &Entry : Sanitizers) {
    if (Entry.getKey() == "thread")
      unsupported(
          "'-fsanitize=thread' is not supported: Photofinish takes its place; leave it out");
    if (!worksWithOurs(Entry.getKey()))
      unsupported("'-fsanitize=" + Entry.getKey() +
                  "' is not supported together with Photofinish; use it in a build of its own");
  }
  A.OtherSanitizer = !Sanitizers.empty();
  bool LinksRuntime = A.Link == LinkKind::Executable || A.Link == LinkKind::StaticExecutable;
  if (LinksRuntime && !NoStandardLibrary.empty())
    unsupported("'" + NoStandardLibrary +
                "' is not supported when linking a program: the runtime needs the C library");
  if (LinksRuntime && HidesArchives)
    unsupported(
        "'--exclude-libs=ALL' is not supported when linking a program: it hides the runtime "
        "from libraries");
}

ClangArguments Reader::read(Words Expanded) {
  if (!Expanded.empty() && Expanded[0].starts_with("-cc1")) {
    A.IsQuestion = true;
    return A;
  }
  bool OnlyInputs = false;
  for (size_t I = 0; I < Expanded.size(); ++I) {
    StringRef Word = Expanded[I];
    if (OnlyInputs || Word == "-" || !Word.starts_with("-"))
      readInput(Word);
    else if (Word == "--")
      OnlyInputs = true;
    else
      I += readOption(Expanded.drop_front(I));
  }
  judge();
  return A;
}

} // namespace

bool isOwnOption(StringRef Word) {
  return Word == "-fphotofinish" || Word == "-fno-photofinish" ||
         Word.starts_with(PlacementOption) || Word == VerifyOption || Word == StatsOption ||
         Word == InlineOption || Word == NoInlineOption;
}

ClangArguments readClangArguments(Words Given, Words Expanded) {
  ClangArguments A = Reader().read(Expanded);
  A.OwnOptionInFile = llvm::count_if(Expanded, isOwnOption) > llvm::count_if(Given, isOwnOption);
  return A;
}

} // namespace photofinish
