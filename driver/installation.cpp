//===- installation.cpp - Where the parts of Photofinish are --------------===//

#include "driver/installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace photofinish {

using llvm::StringRef;

std::string toolPath() {
  llvm::SmallString<256> Path;
  if (llvm::sys::fs::real_path("/proc/self/exe", Path))
    return "";
  return Path.str().str();
}

std::string libraryFile(StringRef Name) {
  std::string Tool = toolPath();
  llvm::SmallString<256> Path(llvm::sys::path::parent_path(llvm::sys::path::parent_path(Tool)));
  llvm::sys::path::append(Path, "lib", "photofinish", Name);
  return Path.str().str();
}

std::string clangPath(bool ForCxx) {
  const char *Chosen = std::getenv(ForCxx ? "PHOTOFINISH_CLANGXX" : "PHOTOFINISH_CLANG");
  if (Chosen && *Chosen)
    return Chosen;
  return ForCxx ? PHOTOFINISH_LLVM_BIN "/clang++" : PHOTOFINISH_LLVM_BIN "/clang";
}

} // namespace photofinish
