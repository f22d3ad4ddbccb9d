//===- symbols.cpp - Names of the threads, locks, variables and sites -----===//
//
// Ranges of named variables have capacities that are powers of two, at least
// DefaultRoom: few sizes, so that a range that one variable gave up fits the next.
// Both trace readers number variables by range (SymbolTable::Range), in the order in
// which this file creates ranges; a change of the policy here is a change of the
// binary format.
//
//===----------------------------------------------------------------------===//

#include "trace/symbols.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace photofinish;

static constexpr uint64_t PageSize = 4096;
/// Kept back from allocations, so that names that are merely used always find room.
static constexpr uint64_t RoomForUse = SymbolTable::DefaultRoom << 32;

static uint64_t capacityFor(uint64_t Size) {
  return llvm::PowerOf2Ceil(std::max(Size, SymbolTable::DefaultRoom));
}

SymbolTable::SymbolTable() = default;

uint32_t SymbolTable::intern(NameKind Kind, llvm::StringRef Name) {
  std::deque<std::string> &Known = Names[unsigned(Kind)];
  uint32_t FirstId = Kind == NameKind::Site ? 1 : 0;
  auto [It, IsNew] = Ids[unsigned(Kind)].try_emplace(Name, uint32_t(Known.size()) + FirstId);
  if (IsNew)
    Known.push_back(Name.str());
  return It->second;
}

std::optional<uint32_t> SymbolTable::find(NameKind Kind, llvm::StringRef Name) const {
  auto It = Ids[unsigned(Kind)].find(Name);
  if (It == Ids[unsigned(Kind)].end())
    return std::nullopt;
  return It->second;
}

llvm::StringRef SymbolTable::givenName(NameKind Kind, uint32_t Id) const {
  const std::deque<std::string> &Known = Names[unsigned(Kind)];
  if (Kind == NameKind::Site)
    --Id; // site 0 wraps around and is out of range, as it should be
  return Id < Known.size() ? llvm::StringRef(Known[Id]) : llvm::StringRef();
}

std::string SymbolTable::name(NameKind Kind, uint32_t Id) const {
  if (llvm::StringRef Given = givenName(Kind, Id); !Given.empty())
    return Given.str();
  static constexpr const char *Prefixes[NumNameKinds] = {"T", "m", "c", "b", "o", "site "};
  if (Kind == NameKind::Site && Id == 0)
    return {};
  return Prefixes[unsigned(Kind)] + std::to_string(Id);
}

std::optional<uint32_t> SymbolTable::rangeOf(llvm::StringRef Name) const {
  auto It = Variables.find(Name);
  if (It == Variables.end())
    return std::nullopt;
  return It->second;
}

std::optional<SymbolTable::Variable> SymbolTable::lookUp(llvm::StringRef Name) const {
  std::optional<uint32_t> Index = rangeOf(Name);
  if (!Index)
    return std::nullopt;
  return Variable{Ranges[*Index].Base, Ranges[*Index].Room};
}

uint32_t SymbolTable::addRange(llvm::StringRef Name, uint64_t Room, uint64_t Capacity) {
  Range New;
  New.Base = llvm::alignTo(NextBase, std::min(Capacity, PageSize));
  New.Room = Room;
  New.Capacity = Capacity;
  New.Name = Name.str();
  New.IsCurrent = true;
  assert(New.Base < NamedEnd && Capacity <= NamedEnd - New.Base && "canAllocate was not asked");
  NextBase = New.Base + Capacity;
  // Only variables that were placed can lie behind.
  auto Where = ByBase.end();
  while (Where != ByBase.begin() && std::prev(Where)->Base > New.Base)
    --Where;
  ByBase.insert(Where, {New.Base, uint32_t(Ranges.size())});
  Ranges.push_back(std::move(New));
  return uint32_t(Ranges.size()) - 1;
}

SymbolTable::Variable SymbolTable::use(llvm::StringRef Name) {
  auto [It, IsNew] = Variables.try_emplace(Name, 0);
  if (IsNew)
    It->second = addRange(Name, DefaultRoom, DefaultRoom);
  const Range &R = Ranges[It->second];
  return {R.Base, R.Room};
}

bool SymbolTable::canAllocate(uint64_t Size) const {
  if (Size > NamedEnd - NamedBase)
    return false;
  uint64_t Capacity = capacityFor(Size);
  uint64_t Base = llvm::alignTo(NextBase, std::min(Capacity, PageSize));
  return Base < NamedEnd - RoomForUse && Capacity <= NamedEnd - RoomForUse - Base;
}

SymbolTable::Variable SymbolTable::allocate(llvm::StringRef Name, uint64_t Size) {
  auto [It, IsNew] = Variables.try_emplace(Name, 0);
  bool HasRange = !IsNew && Ranges[It->second].Capacity >= Size;
  if (!HasRange) {
    if (!IsNew)
      handOutAgain(It->second);
    uint64_t Capacity = capacityFor(Size);
    std::vector<uint32_t> &Free = FreeRanges[llvm::Log2_64(Capacity)];
    if (Free.empty()) {
      It->second = addRange(Name, Size, Capacity);
    } else {
      It->second = Free.back();
      Free.pop_back();
    }
  }
  Range &R = Ranges[It->second];
  R.Room = Size;
  R.FreedAt = 0;
  if (R.Name != Name)
    R.Name = Name.str();
  R.IsCurrent = true;
  R.IsAllocated = true;
  return {R.Base, R.Room};
}

bool SymbolTable::isAllocated(llvm::StringRef Name) const {
  std::optional<uint32_t> Index = rangeOf(Name);
  return Index && Ranges[*Index].IsAllocated;
}

/// Nobody stands for the range any more. It keeps its name for reports until
/// somebody else gets it.
void SymbolTable::handOutAgain(uint32_t Index) {
  Range &R = Ranges[Index];
  R.IsCurrent = false;
  R.IsAllocated = false;
  R.FreedAt = 0;
  if (R.Capacity != 0)
    FreeRanges[llvm::Log2_64(R.Capacity)].push_back(Index);
}

void SymbolTable::release(llvm::StringRef Name) {
  std::optional<uint32_t> Index = rangeOf(Name);
  if (!Index || !Ranges[*Index].IsAllocated)
    return;
  Ranges[*Index].IsAllocated = false;
  Ranges[*Index].FreedAt = ++NumFrees;
  Remembered.push_back({*Index, NumFrees});
  if (Remembered.size() <= RememberedFrees)
    return;
  auto [Oldest, FreedAt] = Remembered.front();
  Remembered.pop_front();
  if (Ranges[Oldest].FreedAt != FreedAt)
    return; // allocated again since
  Variables.erase(Ranges[Oldest].Name);
  handOutAgain(Oldest);
}

void SymbolTable::place(llvm::StringRef Name, Variable Where) {
  assert(Where.Room != 0 && Where.Room - 1 <= ~Where.Base && "not a range");
  auto StartsBefore = [](const BaseEntry &E, uint64_t Base) { return E.Base < Base; };
  uint64_t Last = Where.Base + (Where.Room - 1);
  auto First = std::lower_bound(ByBase.begin(), ByBase.end(), Where.Base, StartsBefore);
  if (First != ByBase.begin()) {
    const Range &Before = Ranges[std::prev(First)->Index];
    if (Where.Base - Before.Base < std::max(Before.Room, Before.Capacity))
      --First;
  }
  auto End = First;
  std::optional<uint32_t> Reused;
  for (; End != ByBase.end() && End->Base <= Last; ++End) {
    Range &Old = Ranges[End->Index];
    if (Old.IsCurrent)
      Variables.erase(Old.Name);
    llvm::erase(FreeRanges[Old.Capacity ? llvm::Log2_64(Old.Capacity) : 0], End->Index);
    Old = Range();
    Reused = End->Index;
  }
  uint32_t Index = Reused.value_or(uint32_t(Ranges.size()));
  if (!Reused)
    Ranges.emplace_back();
  First = ByBase.erase(First, End);
  ByBase.insert(First, {Where.Base, Index});

  auto [It, IsNew] = Variables.try_emplace(Name, Index);
  if (!IsNew) {
    handOutAgain(It->second);
    It->second = Index;
  }
  Range &R = Ranges[Index];
  R.Base = Where.Base;
  R.Room = Where.Room;
  R.Name = Name.str();
  R.IsCurrent = true;
  if (Where.Base < NamedEnd && Last >= NextBase)
    NextBase = std::min(Last, NamedEnd - 1) + 1;
}

std::optional<uint32_t> SymbolTable::rangeAt(uint64_t Address) const {
  auto After = std::upper_bound(ByBase.begin(), ByBase.end(), Address,
                                [](uint64_t A, const BaseEntry &E) { return A < E.Base; });
  if (After == ByBase.begin())
    return std::nullopt;
  const BaseEntry &Entry = *std::prev(After);
  if (Address - Entry.Base >= Ranges[Entry.Index].Room)
    return std::nullopt;
  return Entry.Index;
}

std::pair<llvm::StringRef, uint64_t> SymbolTable::variableAt(uint64_t Address) const {
  std::optional<uint32_t> Index = rangeAt(Address);
  if (!Index)
    return {llvm::StringRef(), 0};
  return {Ranges[*Index].Name, Ranges[*Index].Base};
}

std::string SymbolTable::describe(uint64_t Address) const {
  auto [Name, Base] = variableAt(Address);
  if (Name.empty())
    return "0x" + llvm::utohexstr(Address, /*LowerCase=*/true);
  if (Address == Base)
    return Name.str();
  return Name.str() + "+" + std::to_string(Address - Base);
}
