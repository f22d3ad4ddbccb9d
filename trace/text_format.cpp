//===- text_format.cpp - Traces as text ------------------------------------===//
//
// Hand-written and in place: a line is cut into StringRefs into the input buffer,
// one pass over its bytes, and only names that are new are ever copied.
//
//===----------------------------------------------------------------------===//

#include "trace/text_format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

using namespace photofinish;

//===----------------------------------------------------------------------===//
// Characters, names and orders
//===----------------------------------------------------------------------===//

namespace {

enum CharClass : uint8_t { Plain, Space, Delimiter };

constexpr std::array<CharClass, 256> makeCharClasses() {
  std::array<CharClass, 256> Classes = {};
  for (char C : {' ', '\t', '\r', '\v', '\f'})
    Classes[uint8_t(C)] = Space;
  for (char C : {'|', ',', '(', ')'})
    Classes[uint8_t(C)] = Delimiter;
  return Classes;
}
constexpr std::array<CharClass, 256> CharClasses = makeCharClasses();

bool isSpace(char C) { return CharClasses[uint8_t(C)] == Space; }
bool isDelimiter(char C) { return CharClasses[uint8_t(C)] == Delimiter; }

llvm::StringRef trimmed(const char *Begin, const char *End) {
  while (Begin != End && isSpace(*Begin))
    ++Begin;
  while (Begin != End && isSpace(End[-1]))
    --End;
  return llvm::StringRef(Begin, size_t(End - Begin));
}

bool isNumeric(llvm::StringRef Name) {
  return Name.size() >= 2 && Name[0] == '0' && (Name[1] == 'x' || Name[1] == 'X');
}

bool isTrimmedLine(llvm::StringRef Name) {
  return !Name.empty() && Name.size() <= MaxNameLength && !isSpace(Name.front()) &&
         !isSpace(Name.back()) && !Name.contains('\n');
}

/// Operation names as numbers: the length, then up to seven characters, a byte each.
uint64_t packName(llvm::StringRef Name) {
  uint64_t Packed = Name.size();
  for (char C : Name)
    Packed = Packed << 8 | uint8_t(C);
  return Packed;
}

/// From the name of an operation to its kind: a small hash table filled from opInfo.
class OperationNames {
public:
  static constexpr unsigned Skipped = NumOpKinds; // RAPID's operations without meaning here
  static constexpr unsigned Unknown = NumOpKinds + 1;

  OperationNames() {
    for (unsigned K = 0; K != NumOpKinds; ++K)
      insert(opInfo(OpKind(K)).Name, K);
    for (const char *Name : {"begin", "end", "req", "branch"})
      insert(Name, Skipped);
  }

  unsigned find(llvm::StringRef Name) const {
    if (Name.empty() || Name.size() > 7)
      return Unknown;
    uint64_t Packed = packName(Name);
    for (unsigned I = hash(Packed);; I = (I + 1) % Size)
      if (Slots[I].Packed == Packed || Slots[I].Packed == 0)
        return Slots[I].Kind;
  }

private:
  static constexpr unsigned Size = 128;
  struct Slot {
    uint64_t Packed = 0;
    unsigned Kind = Unknown;
  };

  static unsigned hash(uint64_t Packed) { return unsigned(Packed * 0x9e3779b97f4a7c15 >> 57); }
  void insert(llvm::StringRef Name, unsigned Kind) {
    uint64_t Packed = packName(Name);
    unsigned I = hash(Packed);
    while (Slots[I].Packed != 0)
      I = (I + 1) % Size;
    Slots[I] = {Packed, Kind};
  }

  std::array<Slot, Size> Slots;
};

const OperationNames &operationNames() {
  static const OperationNames Names;
  return Names;
}

constexpr MemoryOrder AllOrders[] = {MemoryOrder::Relaxed, MemoryOrder::Consume,
                                     MemoryOrder::Acquire, MemoryOrder::Release,
                                     MemoryOrder::AcqRel,  MemoryOrder::SeqCst};

} // namespace

bool photofinish::isValidName(NameKind Kind, llvm::StringRef Name) {
  if (!isTrimmedLine(Name))
    return false;
  if (Kind == NameKind::Site)
    return true;
  if (Kind == NameKind::Thread && Name.front() == '#')
    return false; // its lines would be comments
  return llvm::none_of(Name, isDelimiter);
}

bool photofinish::isValidVariableName(llvm::StringRef Name) {
  return isTrimmedLine(Name) && !isNumeric(Name) && llvm::none_of(Name, isDelimiter);
}

bool photofinish::isValidOrder(OpKind Kind, MemoryOrder Order) {
  switch (Kind) {
  case OpKind::AtomicLoad:
    return Order != MemoryOrder::Release && Order != MemoryOrder::AcqRel;
  case OpKind::AtomicStore:
    return Order == MemoryOrder::Relaxed || Order == MemoryOrder::Release ||
           Order == MemoryOrder::SeqCst;
  case OpKind::AtomicRmw:
    return true;
  case OpKind::Fence:
    return Order != MemoryOrder::Relaxed;
  default:
    return Order == MemoryOrder::Relaxed;
  }
}

//===----------------------------------------------------------------------===//
// Messages: what is wrong with a line, one function each
//===----------------------------------------------------------------------===//

/// Input as part of a message: one line, and not too long a one.
static std::string quoted(llvm::StringRef Text) {
  std::string Result = "'";
  for (char C : Text.take_front(60))
    Result += llvm::isPrint(C) ? C : '?';
  return Result + (Text.size() > 60 ? "...'" : "'");
}

static std::string hex(uint64_t Address) { return "0x" + llvm::utohexstr(Address, true); }

/// How an operation is written: "wait(CONDITION,LOCK)".
static std::string usage(OpKind Kind) {
  std::string Text = opInfo(Kind).Name;
  switch (opInfo(Kind).Target) {
  case TargetKind::None:
    return Text + (opInfo(Kind).HasOrder ? "(ORDER)" : "()");
  case TargetKind::Memory:
    if (Kind == OpKind::Allocate)
      return Text + "(VARIABLE,SIZE)";
    return Text + (opInfo(Kind).HasOrder ? "(VARIABLE,SIZE,ORDER)" : "(VARIABLE,SIZE)");
  case TargetKind::Lock:
    return Text + "(LOCK)";
  case TargetKind::Thread:
    return Text + "(THREAD)";
  case TargetKind::Condition:
    return Text + (Kind == OpKind::Notify ? "(CONDITION)" : "(CONDITION,LOCK)");
  case TargetKind::Barrier:
    return Text + "(BARRIER)";
  case TargetKind::Once:
    return Text + "(ONCE)";
  }
  return Text;
}

static std::string lineTooLong() {
  return "the line is longer than " + std::to_string(MaxLineLength) + " bytes";
}
static std::string noOperation() {
  return "there is no '|': a line reads THREAD|OPERATION(OPERANDS)|LOCATION";
}
static std::string threadWithoutName() { return "the thread has no name"; }
static std::string badThreadName(llvm::StringRef Name) {
  return "a thread cannot be called " + quoted(Name) + ": its own lines would be comments";
}
static std::string misplacedDelimiter(char C) {
  return std::string("misplaced '") + C + "': names contain no '|', ',', '(' or ')'";
}
static std::string unknownOperation(llvm::StringRef Name) {
  return "unknown operation " + quoted(Name);
}
static std::string noOperands(OpKind Kind) {
  return std::string(opInfo(Kind).Name) + " has no operands in parentheses: write " + usage(Kind);
}
static std::string parenthesisOpen() { return "a ')' is missing after the operands"; }
static std::string textAfterOperands(llvm::StringRef Text) {
  return "unexpected " + quoted(Text) + " after ')'";
}
static std::string operandMissing(OpKind Kind) {
  return std::string(opInfo(Kind).Name) + " lacks an operand: write " + usage(Kind);
}
static std::string operandTooMany(OpKind Kind) {
  return std::string(opInfo(Kind).Name) + " has too many operands: write " + usage(Kind);
}
static std::string nameTooLong(llvm::StringRef Name) {
  return "the name " + quoted(Name) + " is longer than " + std::to_string(MaxNameLength) + " bytes";
}
static std::string unknownOrder(llvm::StringRef Text) {
  return quoted(Text) + " is not a memory order: use rlx, con, acq, rel, ar or sc";
}
static std::string wrongOrder(const Operation &Op) {
  std::string Allowed;
  for (MemoryOrder Order : AllOrders)
    if (isValidOrder(Op.Kind, Order))
      Allowed += (Allowed.empty() ? "" : ", ") + std::string(orderName(Order));
  return std::string(opInfo(Op.Kind).Name) + " cannot have order " + orderName(Op.Order) +
         ": use one of " + Allowed;
}
static std::string badNumber(llvm::StringRef Text) {
  return quoted(Text) + " is not a decimal number";
}
static std::string numberTooLarge(llvm::StringRef Text) {
  return quoted(Text) + " does not fit into 64 bits";
}
static std::string badAddress(llvm::StringRef Text) {
  return quoted(Text) + " is not a hexadecimal address";
}
static std::string addressTooLarge(llvm::StringRef Text) {
  return "address " + quoted(Text) + " does not fit into 64 bits";
}
static std::string zeroSize(OpKind Kind) {
  return std::string(opInfo(Kind).Name) + " of 0 bytes: the size must be at least 1";
}
static std::string beyondRoom(llvm::StringRef Name, uint64_t Offset, uint64_t Size, uint64_t Room) {
  return std::to_string(Size) + " bytes from byte " + std::to_string(Offset) +
         " on do not fit into " + quoted(Name) + ", which has room for " + std::to_string(Room) +
         ": alloc gives a variable more";
}
static std::string wrapsAround(uint64_t Address, uint64_t Offset, uint64_t Size) {
  return std::to_string(Size) + " bytes from byte " + std::to_string(Offset) + " of " +
         hex(Address) + " on run past the end of the address space";
}
static std::string reservedAddress(uint64_t Address, uint64_t Size) {
  return std::to_string(Size) + " bytes at " + hex(Address) +
         " meet the addresses of named variables, 2^62 to 2^63";
}
static std::string allocWithoutSize(llvm::StringRef Variable) {
  return "alloc needs a size: write alloc(" + Variable.take_front(60).str() + ",SIZE)";
}
static std::string allocInside(llvm::StringRef Name) {
  return "alloc of a part of " + quoted(Name) + ": a named variable is allocated as a whole";
}
static std::string allocatedAlready(llvm::StringRef Name) {
  return quoted(Name) + " is allocated already: free it first";
}
static std::string noRoomLeft(llvm::StringRef Name, uint64_t Size) {
  return "no address space is left for " + std::to_string(Size) + " bytes named " + quoted(Name);
}

llvm::Error TextReader::fail(const std::string &What) const {
  return llvm::make_error<TraceError>(position() + ": " + What);
}

//===----------------------------------------------------------------------===//
// The reader
//===----------------------------------------------------------------------===//

struct TextReader::Fields {
  llvm::StringRef Thread;
  unsigned Kind = OperationNames::Skipped; // also for lines that say nothing
  static constexpr unsigned MaxOperands = 4;
  llvm::StringRef Operands[MaxOperands];
  unsigned NumOperands = 0;
  llvm::StringRef Location;
};

llvm::Expected<bool> TextReader::next(Operation &Op) {
  while (!IsDone) {
    llvm::StringRef Line;
    llvm::Expected<bool> HasLine = readLine(Line);
    if (!HasLine || !*HasLine) {
      IsDone = true;
      return HasLine;
    }
    llvm::Expected<bool> IsOperation = parseLine(Line, Op);
    if (!IsOperation)
      IsDone = true;
    if (!IsOperation || *IsOperation)
      return IsOperation;
  }
  return false;
}

/// The next line without its line feed. Its bytes stay valid until the next call.
llvm::Expected<bool> TextReader::readLine(llvm::StringRef &Line) {
  In.consume(ToConsume);
  ToConsume = 0;
  const void *LineFeed = nullptr;
  for (size_t Searched = 0;;) {
    // As soon as there is a line it is delivered, so that a slow pipe does not hold it back.
    size_t Window = std::min(In.available(), MaxLineLength + 1);
    if (Window != Searched)
      LineFeed = std::memchr(In.data() + Searched, '\n', Window - Searched);
    if (LineFeed || Window > MaxLineLength)
      break;
    Searched = Window;
    llvm::Expected<bool> HasMore = In.require(Window + 1);
    if (!HasMore)
      return HasMore.takeError();
    if (!*HasMore)
      break;
  }
  if (In.available() == 0)
    return false;
  ++LineNumber;
  if (!LineFeed && In.available() > MaxLineLength)
    return fail(lineTooLong());
  size_t Length =
      LineFeed ? size_t(static_cast<const char *>(LineFeed) - In.data()) : In.available();
  Line = llvm::StringRef(In.data(), Length);
  ToConsume = Length + (LineFeed ? 1 : 0);
  return true;
}

/// Cuts THREAD|OPERATION(OPERANDS)|LOCATION into its parts.
llvm::Error TextReader::splitLine(llvm::StringRef Line, Fields &F) const {
  const char *P = Line.begin();
  const char *End = Line.end();
  auto SkipSpace = [&] {
    while (P != End && isSpace(*P))
      ++P;
  };
  auto UpToDelimiter = [&] {
    const char *Begin = P;
    while (P != End && !isDelimiter(*P))
      ++P;
    return trimmed(Begin, P);
  };

  SkipSpace();
  if (P == End || *P == '#')
    return llvm::Error::success();

  F.Thread = UpToDelimiter();
  if (P == End)
    return fail(noOperation());
  if (*P != '|')
    return fail(misplacedDelimiter(*P));
  if (F.Thread.empty())
    return fail(threadWithoutName());
  ++P;

  llvm::StringRef Name = UpToDelimiter();
  unsigned Kind = operationNames().find(Name);
  if (Kind == OperationNames::Unknown)
    return fail(unknownOperation(Name));
  if (Kind == OperationNames::Skipped)
    return llvm::Error::success(); // RAPID writes "branch" as well as "begin(0)"
  F.Kind = Kind;
  if (P == End || *P == '|')
    return fail(noOperands(OpKind(Kind)));
  if (*P != '(')
    return fail(misplacedDelimiter(*P));

  do {
    ++P;
    llvm::StringRef Operand = UpToDelimiter();
    if (P == End || *P == '|')
      return fail(parenthesisOpen());
    if (*P == '(')
      return fail(misplacedDelimiter(*P));
    if (F.NumOperands == Fields::MaxOperands)
      return fail(operandTooMany(OpKind(Kind)));
    F.Operands[F.NumOperands++] = Operand;
  } while (*P == ',');
  if (F.NumOperands == 1 && F.Operands[0].empty())
    F.NumOperands = 0;
  ++P;

  SkipSpace();
  if (P == End)
    return llvm::Error::success();
  if (*P != '|')
    return fail(textAfterOperands(trimmed(P, End)));
  F.Location = trimmed(P + 1, End);
  return llvm::Error::success();
}

/// False if the line says nothing.
llvm::Expected<bool> TextReader::parseLine(llvm::StringRef Line, Operation &Op) {
  Fields F;
  if (llvm::Error E = splitLine(Line, F))
    return std::move(E);
  if (F.Kind == OperationNames::Skipped)
    return false;
  Op = Operation();
  Op.Kind = OpKind(F.Kind);
  if (llvm::Error E = internName(NameKind::Thread, F.Thread, Op.Thread))
    return std::move(E);
  if (llvm::Error E = parseOperands(llvm::ArrayRef(F.Operands, F.NumOperands), Op))
    return std::move(E);
  if (!F.Location.empty())
    if (llvm::Error E = internName(NameKind::Site, F.Location, Op.Site))
      return std::move(E);
  return true;
}

llvm::Error TextReader::parseOperands(llvm::ArrayRef<llvm::StringRef> Operands, Operation &Op) {
  const OpInfo &Info = opInfo(Op.Kind);
  bool HasLock = Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake;
  bool IsMemory = Info.Target == TargetKind::Memory;
  size_t Least = size_t(Info.Target != TargetKind::None) + Info.HasOrder + HasLock;
  size_t Most = Least + (IsMemory ? 2 : 0);
  if (Operands.size() < Least)
    return fail(operandMissing(Op.Kind));
  if (Operands.size() > Most)
    return fail(operandTooMany(Op.Kind));
  for (llvm::StringRef Operand : Operands)
    if (Operand.empty())
      return fail(operandMissing(Op.Kind));

  if (Info.HasOrder) {
    if (llvm::Error E = parseOrder(Operands.back(), Op))
      return E;
    Operands = Operands.drop_back();
  }
  if (IsMemory)
    return parseMemory(Operands, Op);
  if (Info.Target == TargetKind::None)
    return llvm::Error::success();
  uint32_t Id;
  if (llvm::Error E = internName(nameKindOf(Info.Target), Operands[0], Id))
    return E;
  Op.Target = Id;
  if (HasLock)
    return internName(NameKind::Lock, Operands[1], Op.Lock);
  return llvm::Error::success();
}

llvm::Error TextReader::parseOrder(llvm::StringRef Text, Operation &Op) const {
  for (MemoryOrder Order : AllOrders)
    if (Text == orderName(Order)) {
      Op.Order = Order;
      if (!isValidOrder(Op.Kind, Order))
        return fail(wrongOrder(Op));
      return llvm::Error::success();
    }
  return fail(unknownOrder(Text));
}

llvm::Error TextReader::parseNumber(llvm::StringRef Text, uint64_t &Value) const {
  auto [Rest, Status] = std::from_chars(Text.begin(), Text.end(), Value);
  if (Rest != Text.end())
    return fail(badNumber(Text));
  if (Status == std::errc::result_out_of_range)
    return fail(numberTooLarge(Text));
  return llvm::Error::success();
}

llvm::Error TextReader::parseAddress(llvm::StringRef Text, uint64_t &Value) const {
  auto [Rest, Status] = std::from_chars(Text.begin() + 2, Text.end(), Value, 16);
  if (Rest != Text.end() || Text.size() == 2)
    return fail(badAddress(Text));
  if (Status == std::errc::result_out_of_range)
    return fail(addressTooLarge(Text));
  return llvm::Error::success();
}

/// X, X,SIZE or X,OFFSET,SIZE.
llvm::Error TextReader::parseMemory(llvm::ArrayRef<llvm::StringRef> Operands, Operation &Op) {
  llvm::StringRef Name = Operands[0];
  bool HasSize = Operands.size() >= 2;
  bool IsAllocate = Op.Kind == OpKind::Allocate;
  bool IsFree = Op.Kind == OpKind::Free;
  if (IsAllocate && !HasSize)
    return fail(allocWithoutSize(Name));

  uint64_t Offset = 0;
  uint64_t Size = 1;
  if (Operands.size() == 3)
    if (llvm::Error E = parseNumber(Operands[1], Offset))
      return E;
  if (HasSize) {
    if (llvm::Error E = parseNumber(Operands.back(), Size))
      return E;
    if (Size == 0)
      return fail(zeroSize(Op.Kind));
  }
  Op.Size = Size;

  if (isNumeric(Name)) {
    uint64_t Address;
    if (llvm::Error E = parseAddress(Name, Address))
      return E;
    Op.Target = Address + Offset;
    if (Op.Target < Address || Op.Target + (Size - 1) < Op.Target)
      return fail(wrapsAround(Address, Offset, Size));
    if (!isNumericRange(Op.Target, Size))
      return fail(reservedAddress(Op.Target, Size));
  } else {
    if (llvm::Error E = checkNameLength(Name))
      return E;
    if (IsAllocate)
      return allocateNamed(Name, Offset, Op);
    SymbolTable::Variable V = Symbols.use(Name);
    if (Offset > V.Room || Size > V.Room - Offset)
      return fail(beyondRoom(Name, Offset, Size, V.Room));
    Op.Target = V.Base + Offset;
    if (IsFree && Offset == 0)
      Symbols.release(Name);
  }

  if (IsAllocate)
    Allocations[Op.Target] = Size;
  if (IsFree) {
    auto It = Allocations.find(Op.Target);
    if (!HasSize) // if nothing starts there, the feasibility check will say so
      Op.Size = It == Allocations.end() ? 0 : It->second;
    if (It != Allocations.end())
      Allocations.erase(It);
  }
  return llvm::Error::success();
}

llvm::Error TextReader::allocateNamed(llvm::StringRef Name, uint64_t Offset, Operation &Op) {
  if (Offset != 0)
    return fail(allocInside(Name));
  if (Symbols.isAllocated(Name))
    return fail(allocatedAlready(Name));
  if (!Symbols.canAllocate(Op.Size))
    return fail(noRoomLeft(Name, Op.Size));
  Op.Target = Symbols.allocate(Name, Op.Size).Base;
  Allocations[Op.Target] = Op.Size;
  return llvm::Error::success();
}

llvm::Error TextReader::checkNameLength(llvm::StringRef Name) const {
  if (Name.size() > MaxNameLength)
    return fail(nameTooLong(Name));
  return llvm::Error::success();
}

llvm::Error TextReader::internName(NameKind Kind, llvm::StringRef Name, uint32_t &Id) {
  if (llvm::Error E = checkNameLength(Name))
    return E;
  if (Kind == NameKind::Thread && Name.front() == '#')
    return fail(badThreadName(Name));
  Id = Symbols.intern(Kind, Name);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The writer
//===----------------------------------------------------------------------===//

static llvm::Error unwritableAddress(const Operation &Op, llvm::StringRef OutputName) {
  return llvm::make_error<TraceError>(
      OutputName.str() + ": cannot write " + opInfo(Op.Kind).Name + " of " +
      std::to_string(Op.Size) + " bytes at " + hex(Op.Target) +
      ": they are neither part of one variable nor at a numeric address");
}

llvm::Expected<std::optional<uint32_t>> photofinish::namedRangeOf(const Operation &Op,
                                                                  const SymbolTable &Symbols,
                                                                  llvm::StringRef OutputName) {
  // A free at which no allocation starts has no size.
  uint64_t Size = Op.Kind == OpKind::Free ? std::max<uint64_t>(Op.Size, 1) : Op.Size;
  if (isNumericRange(Op.Target, Size))
    return std::nullopt;
  std::optional<uint32_t> Index = Symbols.rangeAt(Op.Target);
  if (!Index || Size == 0)
    return unwritableAddress(Op, OutputName);
  const SymbolTable::Range &Range = Symbols.range(*Index);
  if (!Range.IsCurrent || !Range.contains(Op.Target - Range.Base, Size) ||
      (Op.Kind == OpKind::Allocate && (Op.Target != Range.Base || Size != Range.Room)))
    return unwritableAddress(Op, OutputName);
  return Index;
}

void TextWriter::appendName(NameKind Kind, uint32_t Id, const SymbolTable &Symbols) {
  if (llvm::StringRef Given = Symbols.givenName(Kind, Id); !Given.empty())
    append(Given);
  else
    append(Symbols.name(Kind, Id));
}

void TextWriter::appendNumber(uint64_t Value) {
  char Digits[20];
  auto [End, Status] = std::to_chars(std::begin(Digits), std::end(Digits), Value);
  append(llvm::StringRef(Digits, size_t(End - Digits)));
}

llvm::Error TextWriter::appendMemory(const Operation &Op, const SymbolTable &Symbols) {
  llvm::Expected<std::optional<uint32_t>> Named = namedRangeOf(Op, Symbols, Name);
  if (!Named)
    return Named.takeError();
  uint64_t Offset = 0;
  if (*Named) {
    const SymbolTable::Range &Range = Symbols.range(**Named);
    append(Range.Name);
    Offset = Op.Target - Range.Base;
  } else {
    char Digits[16];
    auto [End, Status] = std::to_chars(std::begin(Digits), std::end(Digits), Op.Target, 16);
    append("0x");
    append(llvm::StringRef(Digits, size_t(End - Digits)));
  }
  if (Offset != 0) {
    append(",");
    appendNumber(Offset);
  }
  // One byte goes without saying, but an allocation's size does not.
  bool SaysSize = Op.Kind == OpKind::Allocate || (Op.Kind == OpKind::Free && Op.Size != 0);
  if (SaysSize || Offset != 0 || (Op.Size != 1 && Op.Kind != OpKind::Free)) {
    append(",");
    appendNumber(std::max<uint64_t>(Op.Size, 1));
  }
  return llvm::Error::success();
}

llvm::Error TextWriter::write(const Operation &Op, const SymbolTable &Symbols) {
  const OpInfo &Info = opInfo(Op.Kind);
  size_t LineStart = Buffer.size();
  appendName(NameKind::Thread, Op.Thread, Symbols);
  append("|");
  append(Info.Name);
  append("(");
  if (Info.Target == TargetKind::Memory) {
    if (llvm::Error E = appendMemory(Op, Symbols)) {
      Buffer.resize(LineStart);
      return E;
    }
  } else if (Info.Target != TargetKind::None) {
    appendName(nameKindOf(Info.Target), uint32_t(Op.Target), Symbols);
  }
  if (Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake) {
    append(",");
    appendName(NameKind::Lock, Op.Lock, Symbols);
  }
  if (Info.HasOrder) {
    if (Info.Target != TargetKind::None)
      append(",");
    append(orderName(Op.Order));
  }
  append(")");
  if (Op.Site != 0) {
    append("|");
    appendName(NameKind::Site, Op.Site, Symbols);
  }
  append("\n");
  if (Buffer.size() >= (64 << 10))
    return flush();
  return llvm::Error::success();
}

llvm::Error TextWriter::flush() {
  OS << Buffer;
  Buffer.clear();
  return takeOutputError(OS, Name);
}

llvm::Error TextWriter::finish() {
  OS << Buffer;
  Buffer.clear();
  OS.flush();
  return takeOutputError(OS, Name);
}
