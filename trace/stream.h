//===- stream.h - Traces as streams of operations ------------------------===//
//
// Every source of operations (a text file, a binary file, a generator, a vector)
// is a TraceSource, every consumer that stores them is a TraceSink. Neither holds
// the trace: memory grows with the number of distinct names only.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_STREAM_H
#define PHOTOFINISH_TRACE_STREAM_H

#include "trace/operation.h"
#include "trace/symbols.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace photofinish {

/// Bad input. The message is one line that starts with where: "FILE:LINE: what"
/// or "FILE: byte OFFSET: what".
class TraceError : public llvm::ErrorInfo<TraceError> {
public:
  static char ID;
  explicit TraceError(std::string Message) : Message(std::move(Message)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Message; }
  std::error_code convertToErrorCode() const override;

private:
  std::string Message;
};

class TraceSource {
public:
  virtual ~TraceSource() = default;
  /// Sets Op to the next operation and returns true, or returns false at the end.
  virtual llvm::Expected<bool> next(Operation &Op) = 0;
  /// Names of everything the operations delivered so far mention.
  virtual const SymbolTable &symbols() const = 0;
  /// Where the operation last delivered stands, as in an error message:
  /// "FILE:LINE" or "FILE: byte OFFSET".
  virtual std::string position() const = 0;
  /// How much of the input has been read, from 0 to 1; negative if unknown.
  virtual double progress() const { return -1; }
};

class TraceSink {
public:
  virtual ~TraceSink() = default;
  /// Symbols is the table of the source that Op came from.
  virtual llvm::Error write(const Operation &Op, const SymbolTable &Symbols) = 0;
  virtual llvm::Error finish() = 0;
};

using Trace = std::vector<Operation>;

/// A trace in memory, with names made up (T0, m0, 0x10, ...) where none are given.
class VectorSource final : public TraceSource {
public:
  explicit VectorSource(const Trace &Ops) : Ops(Ops) {}
  llvm::Expected<bool> next(Operation &Op) override {
    if (Index == Ops.size())
      return false;
    Op = Ops[Index++];
    return true;
  }
  const SymbolTable &symbols() const override { return Symbols; }
  std::string position() const override { return "operation " + std::to_string(Index); }

private:
  const Trace &Ops;
  size_t Index = 0;
  SymbolTable Symbols;
};

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_STREAM_H
