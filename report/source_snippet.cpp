//===- source_snippet.cpp - The line of source that a location names ------===//

#include "report/source_snippet.h"

#include "report/text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace photofinish {

using llvm::StringRef;

void SourceSnippets::setFolderOf(StringRef File) {
  Folder = File == "-" ? "" : llvm::sys::path::parent_path(File);
}

const llvm::MemoryBuffer *SourceSnippets::open(StringRef Path) {
  auto [Entry, IsNew] = Files.try_emplace(Path);
  if (!IsNew)
    return Entry->second.get();
  llvm::SmallString<128> Beside(Folder);
  llvm::sys::path::append(Beside, Path);
  for (StringRef Candidate : {StringRef(Beside), Path}) {
    // A location may name anything, a device or a pipe included.
    if (!llvm::sys::fs::is_regular_file(Candidate))
      continue;
    if (auto File = llvm::MemoryBuffer::getFile(Candidate)) {
      Entry->second = std::move(*File);
      break;
    }
  }
  return Entry->second.get();
}

SourceSnippets::Snippet SourceSnippets::find(StringRef Location) {
  // path:line:column, else path:line.
  auto [Rest, Last] = Location.rsplit(':');
  auto [Path, Middle] = Rest.rsplit(':');
  Snippet S;
  if (Last.getAsInteger(10, S.Column) || Middle.getAsInteger(10, S.LineNumber)) {
    Path = Rest;
    S.Column = 0;
    if (Last.getAsInteger(10, S.LineNumber))
      return {};
  }
  const llvm::MemoryBuffer *File = Path.empty() ? nullptr : open(Path);
  if (!File || S.LineNumber == 0)
    return {};
  StringRef Text = File->getBuffer();
  for (unsigned I = 1; I < S.LineNumber && !Text.empty(); ++I)
    Text = Text.split('\n').second;
  S.Line = Text.split('\n').first.rtrim();
  return S;
}

void SourceSnippets::print(llvm::raw_ostream &OS, StringRef Location, unsigned Indent) {
  Snippet S = find(Location);
  if (S.Line.empty())
    return;
  std::string Number = std::to_string(S.LineNumber);
  OS.indent(Indent) << Number << " | " << printable(S.Line) << '\n';
  if (S.Column == 0 || S.Column > S.Line.size())
    return;
  // Tabs stay tabs, so that the caret stands below its character.
  OS.indent(Indent + Number.size()) << " | ";
  for (char C : S.Line.take_front(S.Column - 1))
    OS << (C == '\t' ? '\t' : ' ');
  OS << "^\n";
}

} // namespace photofinish
