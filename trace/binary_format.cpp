//===- binary_format.cpp - Traces as few bytes -----------------------------===//
//
// See binary_format.h for the idea and docs/traces.md for every byte.
//
// An operation begins with one byte:
//
//     7      6      5     4..0
//   +------+------+------+----------------------------------------------------+
//   | size | site |thread| code: the OpKind, or from 22 on a memory operation |
//   |      |      |      | on a named variable                                |
//   +------+------+------+----------------------------------------------------+
//
// and a bit that is set means that the file says what was not predicted.
//
//===----------------------------------------------------------------------===//

#include "trace/binary_format.h"
#include "trace/text_format.h"

#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace photofinish;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;
using llvm::support::endian::write32le;
using llvm::support::endian::write64le;

namespace {

constexpr uint8_t CodeMask = 0x1f;
constexpr uint8_t SaysThread = 0x20;
constexpr uint8_t SaysSite = 0x40;
constexpr uint8_t SaysSize = 0x80;

/// The memory operations, which have a second code each for named variables.
constexpr OpKind NamedKinds[] = {OpKind::Read,        OpKind::Write,     OpKind::AtomicLoad,
                                 OpKind::AtomicStore, OpKind::AtomicRmw, OpKind::Allocate,
                                 OpKind::Free};
constexpr unsigned NumCodes = NumOpKinds + unsigned(std::size(NamedKinds));
static_assert(NumCodes <= CodeMask + 1, "a code has five bits");

constexpr uint8_t namedCode(OpKind Kind) {
  for (unsigned I = 0; I != std::size(NamedKinds); ++I)
    if (NamedKinds[I] == Kind)
      return uint8_t(NumOpKinds + I);
  return uint8_t(NumCodes);
}

/// A block is closed as soon as it has this many bytes.
constexpr size_t BlockSize = 64 << 10;
/// Less than this is not worth setting up deflate.
constexpr size_t MinDeflateSize = 128;
/// More than the longest operation without the text of names: an opcode, an order,
/// and at most five varints of at most ten bytes.
constexpr size_t Slack = 64;

uint64_t zigzag(uint64_t Difference) { return Difference << 1 ^ (0 - (Difference >> 63)); }
uint64_t unzigzag(uint64_t Value) { return Value >> 1 ^ (0 - (Value & 1)); }

uint32_t checksum(llvm::StringRef First, llvm::StringRef Second = {}) {
  uLong Sum = crc32(0, reinterpret_cast<const Bytef *>(First.data()), uInt(First.size()));
  if (!Second.empty())
    Sum = crc32(Sum, reinterpret_cast<const Bytef *>(Second.data()), uInt(Second.size()));
  return uint32_t(Sum);
}

//===----------------------------------------------------------------------===//
// Messages about the file as a whole
//===----------------------------------------------------------------------===//

std::string notATrace() { return "this is not a binary trace: its first bytes are wrong"; }
std::string headerTruncated() { return "the file ends inside its header: it has been cut short"; }
std::string headerDamaged() { return "the header is damaged: its checksum does not match"; }
std::string unknownVersion(uint32_t Version) {
  return "format version " + std::to_string(Version) + " is not supported, only version " +
         std::to_string(BinaryVersion);
}
std::string endMissing() { return "the end of the trace is missing: the file has been cut short"; }
std::string blockTruncated() { return "the file ends inside a block: it has been cut short"; }
std::string blockTooLong(uint32_t Length) {
  return "a block of " + std::to_string(Length) + " bytes is longer than the limit of " +
         std::to_string(MaxBlockLength);
}
std::string blockDamaged() { return "the block is damaged: its checksum does not match"; }
std::string unknownFlags(uint32_t Flags) {
  return "the block has unknown flags " + std::to_string(Flags);
}
std::string inflateFailed() { return "the block cannot be inflated"; }
std::string emptyBlock() { return "the block holds no operation"; }
std::string lengthsDiffer() { return "the block is stored, but its two lengths differ"; }
std::string badEnd() { return "the end block is malformed"; }
std::string wrongTotal(uint64_t Said, uint64_t Read) {
  return "the file says that it holds " + std::to_string(Said) + " operations, but holds " +
         std::to_string(Read);
}
std::string trailingBytes() { return "something follows the end of the trace"; }
std::string blockLeftover() { return "bytes are left after the last operation of the block"; }

//===----------------------------------------------------------------------===//
// Messages about an operation. Decoding returns them as they are, null if all is
// well, and next() adds the place: that keeps the fast path free of llvm::Error.
//===----------------------------------------------------------------------===//

const char *operationTruncated() { return "the block ends inside an operation"; }
const char *badCode() { return "unknown operation code"; }
const char *strayBit() { return "a size is given for an operation that has none"; }
const char *badVarint() { return "a number does not fit into 64 bits"; }
const char *badId() { return "an id is out of range"; }
const char *badName() { return "a name is malformed"; }
const char *nameDefinedTwice() { return "a name is defined twice"; }
const char *badOrder() { return "the operation cannot have this memory order"; }
const char *badAddress() { return "the address range is empty, wraps or is reserved for names"; }
const char *beyondRoom() { return "the bytes do not lie in their variable"; }
const char *badAllocation() { return "a named variable cannot be allocated like this"; }

} // namespace

//===----------------------------------------------------------------------===//
// The writer
//===----------------------------------------------------------------------===//

struct BinaryWriter::Reference {
  uint64_t Number = 0;
  llvm::StringRef NewName = {}; // empty if the file has said it before
};

static llvm::Error unwritableName(llvm::StringRef Output, llvm::StringRef Text) {
  return llvm::make_error<TraceError>(Output.str() + ": cannot write the name '" +
                                      Text.take_front(60).str() + "': no trace can contain it");
}
static llvm::Error unwritableVariable(llvm::StringRef Output, llvm::StringRef Text) {
  return llvm::make_error<TraceError>(Output.str() + ": cannot write the variable '" +
                                      Text.take_front(60).str() +
                                      "': it is used without having been allocated like this");
}
static llvm::Error unwritableOrder(llvm::StringRef Output, const Operation &Op) {
  return llvm::make_error<TraceError>(Output.str() + ": cannot write " + opInfo(Op.Kind).Name +
                                      " with order " + orderName(Op.Order));
}

BinaryWriter::BinaryWriter(llvm::raw_ostream &OS, std::string Name)
    : OS(OS), Name(std::move(Name)) {
  char Header[BinaryHeaderSize];
  std::memcpy(Header, BinaryMagic.data(), BinaryMagic.size());
  write32le(Header + 8, BinaryVersion);
  write32le(Header + 12, checksum(llvm::StringRef(Header, 12)));
  OS.write(Header, sizeof(Header));
}

BinaryWriter::~BinaryWriter() {
  if (Stream)
    deflateEnd(Stream.get());
}

void BinaryWriter::putVarint(uint64_t Value) {
  while (Value >= 0x80) {
    putByte(uint8_t(Value | 0x80));
    Value >>= 7;
  }
  putByte(uint8_t(Value));
}

void BinaryWriter::putName(llvm::StringRef Text) {
  putVarint(Text.size());
  Payload.append(Text.data(), Text.size());
}

void BinaryWriter::putReference(const Reference &R) {
  putVarint(R.Number);
  if (!R.NewName.empty())
    putName(R.NewName);
}

/// What the file calls Id of the source. Names decide: two ids of the source with
/// the same name, which text could not tell apart either, are one in the file.
llvm::Expected<BinaryWriter::Reference> BinaryWriter::refer(NameKind Kind, uint32_t Id,
                                                            const SymbolTable &Symbols) {
  if (Kind == NameKind::Site && Id == 0)
    return Reference{};
  constexpr uint32_t DenseLimit = 1 << 20;
  std::vector<uint32_t> &Dense = DenseIds[unsigned(Kind)];
  if (Id < Dense.size() && Dense[Id] != 0)
    return Reference{Dense[Id] - 1};
  if (Id >= DenseLimit)
    if (auto It = SparseIds[unsigned(Kind)].find(Id); It != SparseIds[unsigned(Kind)].end())
      return Reference{It->second};

  std::string Text = Symbols.name(Kind, Id);
  if (!isValidName(Kind, Text))
    return unwritableName(Name, Text);
  uint32_t NumKnown = File.count(Kind);
  Reference R = {File.intern(Kind, Text)};
  if (File.count(Kind) != NumKnown)
    R.NewName = File.givenName(Kind, uint32_t(R.Number));
  if (Id >= DenseLimit) {
    SparseIds[unsigned(Kind)][Id] = uint32_t(R.Number);
  } else {
    if (Id >= Dense.size())
      Dense.resize(Id + 1);
    Dense[Id] = uint32_t(R.Number) + 1;
  }
  return R;
}

/// The variable that Op is about, as the reader will know it; Index is its range in
/// the source. For an allocation, the variable as it was before.
llvm::Expected<BinaryWriter::Reference>
BinaryWriter::referToVariable(const Operation &Op, uint32_t Index, const SymbolTable &Symbols) {
  const SymbolTable::Range &Source = Symbols.range(Index);
  // If the source is a reader, then its ranges have the same numbers as the file's.
  std::optional<uint32_t> Known;
  if (Index < File.rangeCount() && File.range(Index).IsCurrent &&
      File.range(Index).Name == Source.Name)
    Known = Index;
  else
    Known = File.rangeOf(Source.Name);

  Reference R;
  if (!Known) {
    if (!isValidVariableName(Source.Name))
      return unwritableName(Name, Source.Name);
    R.NewName = Source.Name;
  }
  if (Op.Kind == OpKind::Allocate) {
    if (File.isAllocated(Source.Name) || !File.canAllocate(Op.Size))
      return unwritableVariable(Name, Source.Name);
    R.Number = Known ? *Known : File.rangeCount();
    return R;
  }
  if (!Known) {
    File.use(Source.Name);
    Known = File.rangeOf(Source.Name);
  }
  R.Number = *Known;
  if (!File.range(*Known).contains(Op.Target - Source.Base, std::max<uint64_t>(Op.Size, 1)))
    return unwritableVariable(Name, Source.Name);
  return R;
}

llvm::Error BinaryWriter::write(const Operation &Op, const SymbolTable &Symbols) {
  const OpInfo &Info = opInfo(Op.Kind);
  bool IsMemory = Info.Target == TargetKind::Memory;
  bool HasLock = Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake;
  if (!isValidOrder(Op.Kind, Op.Order))
    return unwritableOrder(Name, Op);

  // First everything that can fail and everything that can be new, in the order in
  // which the reader meets it.
  llvm::Expected<Reference> Thread = refer(NameKind::Thread, Op.Thread, Symbols);
  if (!Thread)
    return Thread.takeError();
  llvm::Expected<Reference> Site = refer(NameKind::Site, Op.Site, Symbols);
  if (!Site)
    return Site.takeError();
  Reference Target, Lock;
  const SymbolTable::Range *Named = nullptr;
  uint64_t Offset = 0;
  if (IsMemory) {
    llvm::Expected<std::optional<uint32_t>> Index = namedRangeOf(Op, Symbols, Name);
    if (!Index)
      return Index.takeError();
    if (*Index) {
      Named = &Symbols.range(**Index);
      Offset = Op.Target - Named->Base;
      llvm::Expected<Reference> Variable = referToVariable(Op, **Index, Symbols);
      if (!Variable)
        return Variable.takeError();
      Target = *Variable;
    }
  } else if (Info.Target != TargetKind::None) {
    llvm::Expected<Reference> R = refer(nameKindOf(Info.Target), uint32_t(Op.Target), Symbols);
    if (!R)
      return R.takeError();
    Target = *R;
  }
  if (HasLock) {
    llvm::Expected<Reference> R = refer(NameKind::Lock, Op.Lock, Symbols);
    if (!R)
      return R.takeError();
    Lock = *R;
  }

  uint8_t Code = Named ? namedCode(Op.Kind) : uint8_t(Op.Kind);
  if (Thread->Number != Predictor.thread() || !Thread->NewName.empty())
    Code |= SaysThread;
  Predictor.enter(ThreadId(Thread->Number));
  if (Site->Number != Predictor.expectedSite())
    Code |= SaysSite;
  TracePredictor::Context &C = Predictor.arrive(SiteId(Site->Number));
  if (IsMemory && (Op.Size != C.Size || (Named && Offset != C.Offset)))
    Code |= SaysSize;

  putByte(Code);
  if (Code & SaysThread)
    putReference(*Thread);
  if (Code & SaysSite)
    putReference(*Site);
  if (Info.HasOrder)
    putByte(uint8_t(Op.Order));
  if (!IsMemory) {
    if (Info.Target != TargetKind::None)
      putReference(Target);
    if (HasLock)
      putReference(Lock);
  } else {
    if (Code & SaysSize) {
      if (Named)
        putVarint(Offset);
      putVarint(Op.Size);
    }
    C.Size = Op.Size;
    if (Named) {
      putReference({zigzag(Target.Number - C.Range), Target.NewName});
      C.Offset = Offset;
      C.Range = uint32_t(Target.Number);
      if (Op.Kind == OpKind::Allocate) {
        File.allocate(Named->Name, Op.Size);
        C.Range = *File.rangeOf(Named->Name);
      } else if (Op.Kind == OpKind::Free && Offset == 0) {
        File.release(Named->Name);
      }
    } else {
      putVarint(zigzag(Op.Target - C.Address));
      C.Address = Op.Target;
    }
  }
  ++BlockCount;
  if (Payload.size() >= BlockSize)
    return writeBlock();
  return llvm::Error::success();
}

void BinaryWriter::putBlock(uint32_t RawLength, uint32_t Count, uint32_t Flags,
                            llvm::StringRef Stored) {
  char Header[BlockHeaderSize];
  write32le(Header, uint32_t(Stored.size()));
  write32le(Header + 4, RawLength);
  write32le(Header + 8, Count);
  write32le(Header + 12, Flags);
  write32le(Header + 16, checksum(llvm::StringRef(Header, 16), Stored));
  OS.write(Header, sizeof(Header));
  OS << Stored;
}

/// The payload deflated; empty if that does not make it shorter.
llvm::StringRef BinaryWriter::deflatePayload() {
  if (Payload.size() < MinDeflateSize)
    return {};
  if (!Stream) {
    // Raw deflate: the block has lengths and a checksum of its own.
    Stream = std::make_unique<z_stream>();
    if (deflateInit2(Stream.get(), /*level=*/1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      Stream.reset();
      return {}; // out of memory: a stored block is as good
    }
  }
  deflateReset(Stream.get());
  // Room for one byte less than the payload: deflate succeeds only if it saves something.
  Deflated.resize(Payload.size() - 1);
  Stream->next_in = reinterpret_cast<Bytef *>(Payload.data());
  Stream->avail_in = uInt(Payload.size());
  Stream->next_out = reinterpret_cast<Bytef *>(Deflated.data());
  Stream->avail_out = uInt(Deflated.size());
  if (deflate(Stream.get(), Z_FINISH) != Z_STREAM_END)
    return {};
  return llvm::StringRef(Deflated.data(), Deflated.size() - Stream->avail_out);
}

llvm::Error BinaryWriter::writeBlock() {
  if (BlockCount == 0)
    return llvm::Error::success();
  uint32_t RawLength = uint32_t(Payload.size());
  llvm::StringRef Stored = deflatePayload();
  uint32_t Flags = BlockIsDeflated;
  if (Stored.empty()) {
    Stored = Payload;
    Flags = 0;
  }
  putBlock(RawLength, BlockCount, Flags, Stored);
  TotalCount += BlockCount;
  BlockCount = 0;
  Payload.clear();
  return takeOutputError(OS, Name);
}

llvm::Error BinaryWriter::finish() {
  if (llvm::Error E = writeBlock())
    return E;
  char Total[8];
  write64le(Total, TotalCount);
  putBlock(sizeof(Total), 0, BlockIsEnd, llvm::StringRef(Total, sizeof(Total)));
  OS.flush();
  return takeOutputError(OS, Name);
}

//===----------------------------------------------------------------------===//
// The reader
//===----------------------------------------------------------------------===//

BinaryReader::BinaryReader(InputBuffer Input) : In(std::move(Input)) {}

BinaryReader::~BinaryReader() {
  if (Stream)
    inflateEnd(Stream.get());
}

llvm::Error BinaryReader::fail(uint64_t Offset, const std::string &What) const {
  return llvm::make_error<TraceError>(In.name() + ": byte " + std::to_string(Offset) + ": " + What);
}

/// Where the payload's byte At stands in the file; the block, if it is deflated.
static uint64_t fileOffset(uint64_t Block, bool IsDeflated, uint64_t At) {
  return IsDeflated ? Block : Block + BlockHeaderSize + At;
}

uint64_t BinaryReader::decodeOffset() const {
  uint64_t At = uint64_t(std::min(Cursor, PayloadEnd) - Payload.data());
  return fileOffset(BlockOffset, IsBlockDeflated, At);
}

std::string BinaryReader::position() const {
  return In.name() + ": byte " +
         std::to_string(fileOffset(BlockOffset, IsBlockDeflated, OperationOffset)) +
         " (operation " + std::to_string(TotalCount) + ")";
}

llvm::Error BinaryReader::readHeader() {
  llvm::Expected<bool> IsComplete = In.require(BinaryHeaderSize);
  if (!IsComplete)
    return IsComplete.takeError();
  llvm::StringRef Header(In.data(), std::min(In.available(), BinaryHeaderSize));
  if (!Header.starts_with(BinaryMagic.take_front(Header.size())))
    return fail(0, notATrace());
  if (!*IsComplete)
    return fail(In.available(), headerTruncated());
  if (read32le(Header.data() + 12) != checksum(Header.take_front(12)))
    return fail(0, headerDamaged());
  if (uint32_t Version = read32le(Header.data() + 8); Version != BinaryVersion)
    return fail(8, unknownVersion(Version));
  In.consume(BinaryHeaderSize);
  return llvm::Error::success();
}

/// False at the end of the trace.
llvm::Expected<bool> BinaryReader::readBlock() {
  BlockOffset = In.offset();
  llvm::Expected<bool> HasHeader = In.require(BlockHeaderSize);
  if (!HasHeader)
    return HasHeader.takeError();
  uint64_t InputEnd = In.offset() + In.available();
  if (!*HasHeader)
    return fail(InputEnd, In.available() == 0 ? endMissing() : blockTruncated());
  uint32_t StoredLength = read32le(In.data());
  uint32_t RawLength = read32le(In.data() + 4);
  if (uint32_t Longest = std::max(StoredLength, RawLength); Longest > MaxBlockLength)
    return fail(BlockOffset, blockTooLong(Longest));
  llvm::Expected<bool> HasPayload = In.require(BlockHeaderSize + StoredLength);
  if (!HasPayload)
    return HasPayload.takeError();
  if (!*HasPayload)
    return fail(In.offset() + In.available(), blockTruncated());

  const char *Header = In.data();
  llvm::StringRef Stored(Header + BlockHeaderSize, StoredLength);
  if (read32le(Header + 16) != checksum(llvm::StringRef(Header, 16), Stored))
    return fail(BlockOffset, blockDamaged());
  uint32_t Count = read32le(Header + 8);
  uint32_t Flags = read32le(Header + 12);
  if (Flags & ~uint32_t(BlockIsDeflated | BlockIsEnd))
    return fail(BlockOffset, unknownFlags(Flags));
  if (Flags & BlockIsEnd) {
    if (Flags != BlockIsEnd || StoredLength != RawLength)
      return fail(BlockOffset, badEnd());
    if (llvm::Error E = readEnd(StoredLength, Count))
      return std::move(E);
    return false;
  }

  if (Count == 0)
    return fail(BlockOffset, emptyBlock());
  IsBlockDeflated = Flags & BlockIsDeflated;
  if (IsBlockDeflated) {
    if (llvm::Error E = inflateBlock(Stored, RawLength))
      return std::move(E);
  } else {
    if (StoredLength != RawLength)
      return fail(BlockOffset, lengthsDiffer());
    Payload.assign(Stored.begin(), Stored.end());
  }
  Payload.resize(RawLength + Slack);
  std::fill_n(Payload.begin() + RawLength, Slack, 0);
  Cursor = Payload.data();
  PayloadEnd = Cursor + RawLength;
  NumLeft = Count;
  In.consume(BlockHeaderSize + StoredLength);
  return true;
}

llvm::Error BinaryReader::readEnd(uint32_t StoredLength, uint32_t Count) {
  if (StoredLength != 8 || Count != 0)
    return fail(BlockOffset, badEnd());
  if (uint64_t Said = read64le(In.data() + BlockHeaderSize); Said != TotalCount)
    return fail(BlockOffset, wrongTotal(Said, TotalCount));
  In.consume(BlockHeaderSize + StoredLength);
  llvm::Expected<bool> HasMore = In.require(1);
  if (!HasMore)
    return HasMore.takeError();
  if (*HasMore)
    return fail(In.offset(), trailingBytes());
  return llvm::Error::success();
}

llvm::Error BinaryReader::inflateBlock(llvm::StringRef Stored, size_t RawLength) {
  if (!Stream) {
    Stream = std::make_unique<z_stream>();
    if (inflateInit2(Stream.get(), -15) != Z_OK) {
      Stream.reset();
      return fail(BlockOffset, inflateFailed());
    }
  }
  Payload.resize(RawLength + Slack);
  inflateReset(Stream.get());
  Stream->next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Stored.data()));
  Stream->avail_in = uInt(Stored.size());
  Stream->next_out = reinterpret_cast<Bytef *>(Payload.data());
  Stream->avail_out = uInt(RawLength);
  int Status = inflate(Stream.get(), Z_FINISH);
  if (Status != Z_STREAM_END || Stream->avail_in != 0 || Stream->avail_out != 0)
    return fail(BlockOffset, inflateFailed());
  return llvm::Error::success();
}

llvm::Expected<bool> BinaryReader::next(Operation &Op) {
  if (NumLeft == 0) {
    if (Where == Done)
      return false;
    if (Where == AtHeader) {
      Where = Done; // after an error there is nothing more to read
      if (llvm::Error E = readHeader())
        return std::move(E);
    }
    Where = Done;
    llvm::Expected<bool> HasBlock = readBlock();
    if (!HasBlock || !*HasBlock)
      return HasBlock;
    Where = InBlocks;
  }
  OperationOffset = uint64_t(Cursor - Payload.data());
  const char *What = decode(Op);
  if (!What && Cursor > PayloadEnd)
    What = operationTruncated();
  if (What) {
    NumLeft = 0;
    Where = Done;
    return fail(decodeOffset(), What);
  }
  --NumLeft;
  ++TotalCount;
  if (NumLeft == 0 && Cursor != PayloadEnd) {
    Where = Done;
    return fail(decodeOffset(), blockLeftover());
  }
  return true;
}

/// A varint of more than one byte. May run into the zeros behind the payload, but never
/// past them, because an operation starts inside the payload.
const char *BinaryReader::getLongVarint(uint64_t &Value) {
  Value = 0;
  for (unsigned Shift = 0;; Shift += 7) {
    uint64_t Byte = uint8_t(*Cursor++);
    if (Shift == 63 && Byte > 1)
      return badVarint();
    Value |= (Byte & 0x7f) << Shift;
    if (Byte < 0x80)
      return nullptr;
  }
}

const char *BinaryReader::getName(llvm::StringRef &Text) {
  uint64_t Length;
  if (const char *What = getVarint(Length))
    return What;
  // Names are the one part of an operation that Slack does not cover.
  if (Cursor > PayloadEnd || Length > uint64_t(PayloadEnd - Cursor))
    return operationTruncated();
  Text = llvm::StringRef(Cursor, size_t(Length));
  Cursor += Length;
  return nullptr;
}

/// An id; if it is the next new one, its name follows.
const char *BinaryReader::getReference(NameKind Kind, uint32_t &Id) {
  uint64_t Number;
  if (const char *What = getVarint(Number))
    return What;
  uint64_t NextNew = Symbols.count(Kind) + (Kind == NameKind::Site ? 1 : 0);
  if (Number > NextNew)
    return badId();
  Id = uint32_t(Number);
  if (Number < NextNew)
    return nullptr;
  llvm::StringRef Text;
  if (const char *What = getName(Text))
    return What;
  if (!isValidName(Kind, Text))
    return badName();
  return Symbols.intern(Kind, Text) == Id ? nullptr : nameDefinedTwice();
}

/// Decodes one operation; returns what is wrong with it, or null. Looks no further
/// than Slack bytes past the end of the payload, which next() notices afterwards:
/// one comparison for an operation instead of one for a byte.
const char *BinaryReader::decode(Operation &Op) {
  if (Cursor == PayloadEnd)
    return operationTruncated();
  Op = Operation();
  const uint8_t First = uint8_t(*Cursor++);
  unsigned Code = First & CodeMask;
  bool IsNamed = Code >= NumOpKinds;
  if (Code >= NumCodes)
    return badCode();
  Op.Kind = IsNamed ? NamedKinds[Code - NumOpKinds] : OpKind(Code);
  const OpInfo &Info = opInfo(Op.Kind);

  Op.Thread = Predictor.thread();
  if (First & SaysThread) {
    if (const char *What = getReference(NameKind::Thread, Op.Thread))
      return What;
    Predictor.enter(Op.Thread);
  } else if (Symbols.count(NameKind::Thread) == 0) {
    return badId();
  }
  Op.Site = Predictor.expectedSite();
  if (First & SaysSite)
    if (const char *What = getReference(NameKind::Site, Op.Site))
      return What;
  TracePredictor::Context &C = Predictor.arrive(Op.Site);

  if (Info.HasOrder) {
    uint8_t Order = uint8_t(*Cursor++);
    if (Order > uint8_t(MemoryOrder::SeqCst) || !isValidOrder(Op.Kind, MemoryOrder(Order)))
      return badOrder();
    Op.Order = MemoryOrder(Order);
  }
  if (Info.Target == TargetKind::Memory)
    return decodeMemory(Op, C, IsNamed, First & SaysSize);
  if (First & SaysSize)
    return strayBit();
  if (Info.Target == TargetKind::None)
    return nullptr;
  uint32_t Id;
  if (const char *What = getReference(nameKindOf(Info.Target), Id))
    return What;
  Op.Target = Id;
  if (Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake)
    return getReference(NameKind::Lock, Op.Lock);
  return nullptr;
}

const char *BinaryReader::decodeMemory(Operation &Op, TracePredictor::Context &C, bool IsNamed,
                                       bool HasSize) {
  uint64_t Offset = C.Offset;
  if (HasSize) {
    if (IsNamed)
      if (const char *What = getVarint(Offset))
        return What;
    if (const char *What = getVarint(C.Size))
      return What;
  }
  Op.Size = C.Size;
  // Only a free may have no size: one where no allocation starts.
  uint64_t Size = Op.Kind == OpKind::Free ? std::max<uint64_t>(Op.Size, 1) : Op.Size;
  if (IsNamed) {
    C.Offset = Offset;
    return Size == 0 ? badAddress() : decodeVariable(Op, C, Offset);
  }
  uint64_t Difference;
  if (const char *What = getVarint(Difference))
    return What;
  C.Address += unzigzag(Difference);
  Op.Target = C.Address;
  return isNumericRange(Op.Target, Size) ? nullptr : badAddress();
}

const char *BinaryReader::decodeVariable(Operation &Op, TracePredictor::Context &C,
                                         uint64_t Offset) {
  uint64_t Difference;
  if (const char *What = getVarint(Difference))
    return What;
  uint64_t Index = C.Range + unzigzag(Difference);
  if (Index > Symbols.rangeCount())
    return badId();
  llvm::StringRef Variable;
  bool IsNew = Index == Symbols.rangeCount();
  if (IsNew) {
    if (const char *What = getName(Variable))
      return What;
    if (!isValidVariableName(Variable))
      return badName();
    if (Symbols.rangeOf(Variable))
      return nameDefinedTwice();
  } else {
    const SymbolTable::Range &Known = Symbols.range(uint32_t(Index));
    if (!Known.IsCurrent)
      return badId();
    Variable = Known.Name;
  }

  if (Op.Kind == OpKind::Allocate) {
    if (Offset != 0 || Symbols.isAllocated(Variable) || !Symbols.canAllocate(Op.Size))
      return badAllocation();
    // A copy: the old range's name may be given to somebody else meanwhile.
    std::string Name = Variable.str();
    Op.Target = Symbols.allocate(Name, Op.Size).Base;
    C.Range = *Symbols.rangeOf(Name);
    return nullptr;
  }
  if (IsNew)
    Symbols.use(Variable);
  const SymbolTable::Range &Range = Symbols.range(uint32_t(Index));
  if (!Range.contains(Offset, std::max<uint64_t>(Op.Size, 1)))
    return beyondRoom();
  Op.Target = Range.Base + Offset;
  C.Range = uint32_t(Index);
  if (Op.Kind == OpKind::Free && Offset == 0)
    Symbols.release(Range.Name);
  return nullptr;
}
