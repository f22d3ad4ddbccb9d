//===- tool_path_object.h - The object that tells a program its tool ------===//
//
// A program with a race starts `photofinish report`, and has to know where that is. So every
// link gets one more object, with one symbol:
//
//   const char __pf_tool_path[] = "/.../bin/photofinish";   // hidden
//
// It is written here, byte by byte, into memory that has no name in the file system: the
// command becomes clang (exec), so nobody would be left to remove a file. The linker, a
// descendant of clang's, inherits the descriptor and opens /proc/self/fd/N.
//
// Its section, ToolPathSection, stays even when a program is stripped, and so is also what
// `photofinish run` knows a program with a runtime by.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_TOOL_PATH_OBJECT_H
#define PHOTOFINISH_DRIVER_TOOL_PATH_OBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace photofinish {

inline constexpr llvm::StringLiteral ToolPathSection = "pf_tool_path";

/// The ELF object's bytes.
std::string toolPathObject(llvm::StringRef ToolPath);

/// A path by which this process and its descendants can read Bytes.
llvm::Expected<std::string> shareWithDescendants(llvm::StringRef Bytes);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_TOOL_PATH_OBJECT_H
