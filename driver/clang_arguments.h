//===- clang_arguments.h - What a clang command line is about to do -------===//
//
// `photofinish cc` hands every word on to clang, and adds some of its own. Which ones depends
// on what the words mean: a link needs the runtime, a precompiled header does not, and
// `cc --version` needs nothing at all. Asking clang (`clang -###`) would double the time of
// every compilation of a small file, so the words are read here: the same options, the same
// file extensions, and a table of the options whose value is the next word.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_CLANG_ARGUMENTS_H
#define PHOTOFINISH_DRIVER_CLANG_ARGUMENTS_H

#include "driver/command_line.h"

#include <optional>
#include <string>

namespace photofinish {

/// What comes out at the end of the command line.
enum class LinkKind {
  None,             ///< -c, -S, -E, -M, a precompiled header, ...
  Relocatable,      ///< -r
  SharedLibrary,    ///< -shared
  Executable,       ///< with or without PIE
  StaticExecutable, ///< -static, -static-pie
};

struct ClangArguments {
  /// clang only answers a question (--version, -print-...), or will complain about having no
  /// input: nothing is to be added.
  bool IsQuestion = false;
  bool AsksForHelp = false;
  /// -fno-photofinish has not been given, or -fphotofinish after it.
  bool Instruments = true;
  /// -fphotofinish-placement: where checks go; empty if the pass decides.
  std::string Placement;
  /// -fphotofinish-verify: accesses are announced beside their checks.
  bool Verifies = false;
  /// -fphotofinish-stats: say what became of each function's accesses.
  bool PrintsStats = false;
  /// -f[no-]photofinish-inline-checks; unset if the pass decides.
  std::optional<bool> InlinesChecks;
  /// Some input is not yet an object file.
  bool Compiles = false;
  LinkKind Link = LinkKind::None;
  /// A sanitizer that works together with ours (-fsanitize=undefined).
  bool OtherSanitizer = false;
  bool LinkTimeOptimization = false;
  /// A C++ library is linked by name, as in `cc x.o -lstdc++`.
  bool NamesCxxLibrary = false;
  /// -stdlib=libc++
  bool UsesLibCxx = false;
  bool ChoosesLinker = false;
  /// -Wl,-z,defs and its other spellings.
  bool ForbidsUndefined = false;
  /// An option of our own stands in a response file, which clang cannot be shown.
  bool OwnOptionInFile = false;
  /// What cannot be done, as one line for the user; empty if all is well.
  std::string Unsupported;
};

/// Given holds the words as the user wrote them. Expanded, the same words with response files
/// (@file) replaced by what is in them.
ClangArguments readClangArguments(Words Given, Words Expanded);

/// -fphotofinish, -fno-photofinish and -fphotofinish-..., which clang does not know.
bool isOwnOption(llvm::StringRef Word);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_CLANG_ARGUMENTS_H
