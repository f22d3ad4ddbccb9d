//===- source_snippet.h - The line of source that a location names --------===//
//
// A location in a trace is any text. If it looks like path:line or path:line:column, and
// the file is there (beside the trace or the program, or from the current folder), reports
// show the line:
//
//     21 |   Balance[To] += Amount;
//        |               ^
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_SOURCE_SNIPPET_H
#define PHOTOFINISH_REPORT_SOURCE_SNIPPET_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace photofinish {

class SourceSnippets {
public:
  /// The folder of the trace (or program) is the first place to look in; "-" has none.
  explicit SourceSnippets(llvm::StringRef File) { setFolderOf(File); }
  void setFolderOf(llvm::StringRef File);

  /// Whether print() would print anything.
  bool has(llvm::StringRef Location) { return !find(Location).Line.empty(); }
  /// Indent: the spaces before the line's number.
  void print(llvm::raw_ostream &OS, llvm::StringRef Location, unsigned Indent = 4);

private:
  struct Snippet {
    llvm::StringRef Line; ///< empty if there is none
    unsigned LineNumber = 0;
    unsigned Column = 0; ///< 1 is the first; 0 if unknown
  };
  Snippet find(llvm::StringRef Location);
  /// Null if there is no such file.
  const llvm::MemoryBuffer *open(llvm::StringRef Path);

  std::string Folder;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> Files;
};

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_SOURCE_SNIPPET_H
