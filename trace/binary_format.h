//===- binary_format.h - Traces as few bytes -------------------------------===//
//
// A trace repeats itself: a thread that was at one site last time comes to the same
// next site again, and a site touches memory near what it touched before, in pieces
// of the same size. Writer and reader keep the same predictions, and only what they
// do not foretell is written: most accesses take two or three bytes, names are
// written once, and deflate squeezes the rest.
//
//   header   magic, version, checksum
//   block*   lengths, number of operations, checksum, payload (perhaps deflated)
//   end      a block with the total number of operations, so that a file that was
//            cut short is noticed
//
// docs/traces.md, section "Binary format", describes every byte. Whatever is damaged
// is refused with the offset of the damage; a reader never guesses.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_BINARY_FORMAT_H
#define PHOTOFINISH_TRACE_BINARY_FORMAT_H

#include "trace/stream.h"
#include "trace/trace_file.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish {

inline constexpr llvm::StringLiteral BinaryMagic("\x89"
                                                 "PFT\r\n\x1a\n");
inline constexpr uint32_t BinaryVersion = 1;
inline constexpr size_t BinaryHeaderSize = 16;
inline constexpr size_t BlockHeaderSize = 20;
inline constexpr size_t MaxBlockLength = 1 << 20;

enum BlockFlags : uint32_t {
  BlockIsDeflated = 1,
  BlockIsEnd = 2,
};

/// What writer and reader both know before an operation, from those before it.
class TracePredictor {
public:
  /// What to expect at a site; threads have one each for operations without a site.
  struct Context {
    uint64_t Address = 0; ///< of the last access there to a numeric address
    uint64_t Size = 1;    ///< of the last access there
    uint64_t Offset = 0;  ///< of the last access there to a variable, inside it
    uint32_t Range = 0;   ///< that variable
    SiteId NextSite = 0;  ///< where the thread that was last there went next
  };

  ThreadId thread() const { return Thread; }
  /// Thread performs the next operation.
  void enter(ThreadId T) {
    Thread = T;
    if (T >= Threads.size())
      Threads.resize(T + 1);
  }
  /// Where the thread is expected to be now.
  SiteId expectedSite() { return context(Threads[Thread].LastSite).NextSite; }
  /// The thread is at Site. The context stays valid until the next call.
  Context &arrive(SiteId Site) {
    context(Threads[Thread].LastSite).NextSite = Site;
    Threads[Thread].LastSite = Site;
    if (Site >= Sites.size())
      Sites.resize(Site + 1);
    return context(Site);
  }

private:
  struct PerThread {
    Context WithoutSite;
    SiteId LastSite = 0;
  };
  Context &context(SiteId Site) { return Site == 0 ? Threads[Thread].WithoutSite : Sites[Site]; }

  ThreadId Thread = 0;
  std::vector<PerThread> Threads = std::vector<PerThread>(1);
  std::vector<Context> Sites;
};

class BinaryWriter final : public TraceSink {
public:
  BinaryWriter(llvm::raw_ostream &OS, std::string Name);
  ~BinaryWriter() override;

  llvm::Error write(const Operation &Op, const SymbolTable &Symbols) override;
  llvm::Error finish() override;

private:
  struct Reference; // a number in the file, and whether the file says its name here

  llvm::Expected<Reference> refer(NameKind Kind, uint32_t Id, const SymbolTable &Symbols);
  llvm::Expected<Reference> referToVariable(const Operation &Op, uint32_t Index,
                                            const SymbolTable &Symbols);
  void putByte(uint8_t Byte) { Payload.push_back(char(Byte)); }
  void putVarint(uint64_t Value);
  void putReference(const Reference &R);
  void putName(llvm::StringRef Text);
  llvm::StringRef deflatePayload();
  llvm::Error writeBlock();
  void putBlock(uint32_t RawLength, uint32_t Count, uint32_t Flags, llvm::StringRef Stored);

  llvm::raw_ostream &OS;
  std::string Name;
  SymbolTable File; // names and variables as the reader will know them
  /// Number in the source -> number in the file.
  std::array<std::unordered_map<uint32_t, uint32_t>, NumNameKinds> SparseIds;
  std::array<std::vector<uint32_t>, NumNameKinds> DenseIds; // plus one; 0 is not known yet
  TracePredictor Predictor;
  std::string Payload;
  std::string Deflated;
  std::unique_ptr<z_stream> Stream;
  uint32_t BlockCount = 0;
  uint64_t TotalCount = 0;
};

class BinaryReader final : public TraceSource {
public:
  explicit BinaryReader(InputBuffer Input);
  ~BinaryReader() override;

  llvm::Expected<bool> next(Operation &Op) override;
  const SymbolTable &symbols() const override { return Symbols; }
  /// With the operation's number, because a deflated block is one place in the file.
  std::string position() const override;
  double progress() const override { return In.progress(); }

private:
  llvm::Error readHeader();
  llvm::Expected<bool> readBlock();
  llvm::Error readEnd(uint32_t StoredLength, uint32_t Count);
  llvm::Error inflateBlock(llvm::StringRef Stored, size_t RawLength);
  const char *decode(Operation &Op);
  const char *decodeMemory(Operation &Op, TracePredictor::Context &C, bool IsNamed, bool SaysSize);
  const char *decodeVariable(Operation &Op, TracePredictor::Context &C, uint64_t Offset);
  const char *getVarint(uint64_t &Value) {
    Value = uint8_t(*Cursor);
    if (Value >= 0x80)
      return getLongVarint(Value);
    ++Cursor;
    return nullptr;
  }
  const char *getLongVarint(uint64_t &Value);
  const char *getReference(NameKind Kind, uint32_t &Id);
  const char *getName(llvm::StringRef &Text);
  uint64_t decodeOffset() const;
  llvm::Error fail(uint64_t Offset, const std::string &What) const;

  InputBuffer In;
  SymbolTable Symbols;
  TracePredictor Predictor;
  std::vector<char> Payload; // the block, and zeros behind it (see decode)
  const char *Cursor = nullptr;
  const char *PayloadEnd = nullptr;
  uint64_t BlockOffset = 0;
  uint64_t OperationOffset = 0; // of the operation delivered last, in Payload
  bool IsBlockDeflated = false;
  uint32_t NumLeft = 0; // operations of the block that are still to come
  uint64_t TotalCount = 0;
  std::unique_ptr<z_stream> Stream;
  enum { AtHeader, InBlocks, Done } Where = AtHeader;
};

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_BINARY_FORMAT_H
