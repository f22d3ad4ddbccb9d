//===- text_format.h - Traces as text --------------------------------------===//
//
// The language of docs/traces.md, one operation a line: a superset of the STD format
// of the RAPID tools. The writer's output is canonical: reading it and writing it
// again gives the same bytes, which is what the conversion tests rest on.
//
//   T1|w(counter,4)|worker.c:5   ->   Write, thread 1, 4 bytes, site 5
//
// The rules for names and orders stand here too, because the binary reader holds
// its input to them: whatever a trace says can be said in text.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_TEXT_FORMAT_H
#define PHOTOFINISH_TRACE_TEXT_FORMAT_H

#include "trace/stream.h"
#include "trace/trace_file.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace photofinish {

inline constexpr size_t MaxLineLength = 64 << 10;
/// Four names and the rest of a line always fit into MaxLineLength.
inline constexpr size_t MaxNameLength = 16000;

/// May Name stand for something of this kind in a trace?
bool isValidName(NameKind Kind, llvm::StringRef Name);
bool isValidVariableName(llvm::StringRef Name);
/// May an operation of this kind have this order? Relaxed if it has none.
bool isValidOrder(OpKind Kind, MemoryOrder Order);
/// May [Address, Address+Size) be given by number? Not if it wraps or meets the
/// address space of named variables.
inline bool isNumericRange(uint64_t Address, uint64_t Size) {
  uint64_t Last = Address + (Size - 1);
  return Size != 0 && Last >= Address &&
         (Last < SymbolTable::NamedBase || Address >= SymbolTable::NamedEnd);
}
/// The number of the range of named variables that Op accesses, in Symbols. None if
/// Op is at a numeric address; an error if it is at no address a trace can have.
llvm::Expected<std::optional<uint32_t>>
namedRangeOf(const Operation &Op, const SymbolTable &Symbols, llvm::StringRef OutputName);

class TextReader final : public TraceSource {
public:
  explicit TextReader(InputBuffer Input) : In(std::move(Input)) {}

  llvm::Expected<bool> next(Operation &Op) override;
  const SymbolTable &symbols() const override { return Symbols; }
  std::string position() const override { return In.name() + ":" + std::to_string(LineNumber); }
  double progress() const override { return In.progress(); }

private:
  struct Fields; // a line, taken apart

  llvm::Expected<bool> readLine(llvm::StringRef &Line);
  llvm::Expected<bool> parseLine(llvm::StringRef Line, Operation &Op);
  llvm::Error splitLine(llvm::StringRef Line, Fields &F) const;
  llvm::Error parseOperands(llvm::ArrayRef<llvm::StringRef> Operands, Operation &Op);
  llvm::Error parseMemory(llvm::ArrayRef<llvm::StringRef> Operands, Operation &Op);
  llvm::Error allocateNamed(llvm::StringRef Name, uint64_t Offset, Operation &Op);
  llvm::Error parseOrder(llvm::StringRef Text, Operation &Op) const;
  llvm::Error parseNumber(llvm::StringRef Text, uint64_t &Value) const;
  llvm::Error parseAddress(llvm::StringRef Text, uint64_t &Value) const;
  llvm::Error checkNameLength(llvm::StringRef Name) const;
  llvm::Error internName(NameKind Kind, llvm::StringRef Name, uint32_t &Id);
  llvm::Error fail(const std::string &What) const;

  InputBuffer In;
  SymbolTable Symbols;
  /// Start -> size of what is allocated, for a free that gives no size.
  std::unordered_map<uint64_t, uint64_t> Allocations;
  uint64_t LineNumber = 0;
  size_t ToConsume = 0; // the line delivered last, whose bytes are still in use
  bool IsDone = false;
};

class TextWriter final : public TraceSink {
public:
  TextWriter(llvm::raw_ostream &OS, std::string Name) : OS(OS), Name(std::move(Name)) {}

  llvm::Error write(const Operation &Op, const SymbolTable &Symbols) override;
  llvm::Error finish() override;

private:
  void append(llvm::StringRef Text) { Buffer.append(Text.data(), Text.size()); }
  void appendName(NameKind Kind, uint32_t Id, const SymbolTable &Symbols);
  void appendNumber(uint64_t Value);
  llvm::Error appendMemory(const Operation &Op, const SymbolTable &Symbols);
  llvm::Error flush();

  llvm::raw_ostream &OS;
  std::string Name;
  std::string Buffer;
};

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_TEXT_FORMAT_H
