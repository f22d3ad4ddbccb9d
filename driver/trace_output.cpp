//===- trace_output.cpp - Traces that the command writes ------------------===//

#include "driver/trace_output.h"

#include "trace/trace_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <poll.h>
#include <unistd.h>

namespace photofinish {

using llvm::StringRef;
namespace fs = llvm::sys::fs;

std::optional<TraceFormat> formatOfName(StringRef Path) {
  for (StringRef Ending : {".std", ".txt"})
    if (Path.ends_with(Ending))
      return TraceFormat::Text;
  for (StringRef Ending : {".bin", ".pft"})
    if (Path.ends_with(Ending))
      return TraceFormat::Binary;
  return std::nullopt;
}

static llvm::Error copyOperations(TraceSource &Source, TraceSink &Sink) {
  Operation Op;
  while (true) {
    llvm::Expected<bool> More = Source.next(Op);
    if (!More)
      return More.takeError();
    if (!*More)
      return Sink.finish();
    if (llvm::Error E = Sink.write(Op, Source.symbols()))
      return E;
  }
}

static std::unique_ptr<TraceSink> createWriter(llvm::raw_ostream &OS, StringRef Name,
                                               TraceFormat Format) {
  return Format == TraceFormat::Binary ? createBinaryWriter(OS, Name) : createTextWriter(OS, Name);
}

/// Copies to a stream of our own, which is flushed and without error afterwards: only then may
/// its file be closed.
static llvm::Error copyTo(llvm::raw_fd_ostream &OS, TraceSource &Source, StringRef Name,
                          TraceFormat Format) {
  llvm::Error Result = copyOperations(Source, *createWriter(OS, Name, Format));
  OS.flush();
  OS.clear_error();
  return Result;
}

/// The kernel marks a pipe or socket whose other end is closed.
static bool readerIsGone() {
  pollfd Output = {STDOUT_FILENO, POLLOUT, 0};
  return poll(&Output, 1, 0) == 1 && (Output.revents & POLLERR);
}

llvm::Error copyToStandardOutput(TraceSource &Source, TraceFormat Format) {
  llvm::Error Result =
      copyOperations(Source, *createWriter(llvm::outs(), "standard output", Format));
  if (Result && readerIsGone()) {
    llvm::consumeError(std::move(Result));
    return llvm::Error::success();
  }
  return Result;
}

llvm::Error copyToFile(TraceSource &Source, StringRef Path, TraceFormat Format) {
  fs::file_status Status;
  bool Exists = !fs::status(Path, Status);
  if (Exists && !fs::is_regular_file(Status)) {
    std::error_code Error;
    llvm::raw_fd_ostream OS(Path, Error);
    if (Error)
      return llvm::make_error<TraceError>((Path + ": " + Error.message()).str());
    return copyTo(OS, Source, Path, Format);
  }
  // Through a symbolic link, the file that it points to is the one to replace.
  llvm::SmallString<128> Target(Path);
  if (Exists && fs::real_path(Path, Target))
    Target = Path;
  llvm::Expected<fs::TempFile> Temp = fs::TempFile::create(Target + ".%%%%%%.tmp", 0666);
  if (!Temp)
    return llvm::make_error<TraceError>((Path + ": " + llvm::toString(Temp.takeError())).str());
  llvm::raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false);
  if (llvm::Error E = copyTo(OS, Source, Path, Format))
    return llvm::joinErrors(std::move(E), Temp->discard());
  if (llvm::Error E = Temp->keep(Target))
    return llvm::make_error<TraceError>((Path + ": " + llvm::toString(std::move(E))).str());
  return llvm::Error::success();
}

} // namespace photofinish
