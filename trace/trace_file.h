//===- trace_file.h - Traces on disk and in pipes -------------------------===//
//
// openTrace finds out by itself what it has been given: text or binary, plain or
// gzip, a file or standard input. Below it lie two layers that the readers share:
//
//   ByteInput    where bytes come from: a file, memory, another input unzipped
//   InputBuffer  a window of a ByteInput, so that a reader parses in place
//
// Everything is streamed. Nothing is mapped and nothing is read as a whole, so that
// a pipe works as well as a file and memory does not depend on the trace's length.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_TRACE_FILE_H
#define PHOTOFINISH_TRACE_TRACE_FILE_H

#include "trace/stream.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace photofinish {

class ByteInput {
public:
  virtual ~ByteInput() = default;
  /// Reads between 1 and Size bytes; 0 means the end.
  virtual llvm::Expected<size_t> read(char *To, size_t Size) = 0;
  /// How much has been read, from 0 to 1; negative if unknown.
  virtual double progress() const { return -1; }
};

/// Bytes in memory, which must outlive the input.
class MemoryInput final : public ByteInput {
public:
  explicit MemoryInput(llvm::StringRef Bytes) : Bytes(Bytes) {}
  llvm::Expected<size_t> read(char *To, size_t Size) override;
  double progress() const override;

private:
  llvm::StringRef Bytes;
  size_t Position = 0;
};

/// A sliding window over an input.
class InputBuffer {
public:
  /// Name is what error messages call the input. The window grows beyond Capacity if it
  /// has to.
  InputBuffer(std::unique_ptr<ByteInput> Input, std::string Name, size_t Capacity = 256 << 10);

  /// Reads on until AtLeast bytes are available; false if the input ends before that.
  llvm::Expected<bool> require(size_t AtLeast) {
    if (available() >= AtLeast)
      return true;
    return readOn(AtLeast);
  }
  /// What is available now. Valid until the next require.
  const char *data() const { return Bytes.get() + Begin; }
  size_t available() const { return End - Begin; }
  void consume(size_t Count) {
    assert(Count <= available() && "not read yet");
    Begin += Count;
    Offset += Count;
  }
  /// Where data() stands in the input.
  uint64_t offset() const { return Offset; }
  const std::string &name() const { return Name; }
  double progress() const { return Input->progress(); }

private:
  llvm::Expected<bool> readOn(size_t AtLeast);

  std::unique_ptr<ByteInput> Input;
  std::string Name;
  std::unique_ptr<char[]> Bytes;
  size_t Capacity;
  size_t Begin = 0, End = 0;
  uint64_t Offset = 0;
  bool AtEnd = false;
};

/// The trace in the file Path; "-" is standard input. Errors are one line,
/// "PATH: reason" if the file cannot be read at all.
llvm::Expected<std::unique_ptr<TraceSource>> openTrace(llvm::StringRef Path);
/// The same for any input.
llvm::Expected<std::unique_ptr<TraceSource>> openTrace(std::unique_ptr<ByteInput> Input,
                                                       std::string Name);

/// Writers onto OS, which Name stands for in error messages. finish() flushes OS and
/// reports what went wrong with it on the way, if it is a file or a pipe.
std::unique_ptr<TraceSink> createTextWriter(llvm::raw_ostream &OS, llvm::StringRef Name);
std::unique_ptr<TraceSink> createBinaryWriter(llvm::raw_ostream &OS, llvm::StringRef Name);

/// "NAME: reason" if writing to OS has failed (disk full, pipe closed); clears it
/// there, because raw_fd_ostream would otherwise end the process.
llvm::Error takeOutputError(llvm::raw_ostream &OS, llvm::StringRef Name);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_TRACE_FILE_H
