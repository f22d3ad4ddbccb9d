//===- symbols.h - Names of the threads, locks, variables and sites -------===//
//
// Operations carry numbers; this table gives the numbers their names. Threads,
// locks, conditions, barriers, once-objects and sites are numbered densely, in
// order of first use, each kind for itself (site 0 means "no location").
//
// Variables are different: a name stands for an address range. Named variables
// live from NamedBase to NamedEnd, where no numeric address can be. A variable that
// was allocated has exactly the room it asked for; one that is just used has
// DefaultRoom bytes.
//
// A freed variable keeps its range, so that a later access to it is an access to
// freed memory and not to something new; allocated again, it gets the same range
// if that is large enough. Only when RememberedFrees other frees have followed is
// the name forgotten and its range handed out again, so that a program that
// allocates and frees for hours does not grow the table. Ranges are handed out
// again to allocations only: an allocation is what separates two lives of a byte.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_SYMBOLS_H
#define PHOTOFINISH_TRACE_SYMBOLS_H

#include "trace/operation.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cassert>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish {

enum class NameKind : uint8_t { Thread, Lock, Condition, Barrier, Once, Site };
inline constexpr unsigned NumNameKinds = 6;

/// The kind of name that an operand has; memory and none have none.
inline NameKind nameKindOf(TargetKind Target) {
  switch (Target) {
  case TargetKind::Thread:
    return NameKind::Thread;
  case TargetKind::Lock:
    return NameKind::Lock;
  case TargetKind::Condition:
    return NameKind::Condition;
  case TargetKind::Barrier:
    return NameKind::Barrier;
  case TargetKind::Once:
    return NameKind::Once;
  case TargetKind::None:
  case TargetKind::Memory:
    break;
  }
  assert(false && "such an operand is not a name");
  return NameKind::Once;
}

class SymbolTable {
public:
  static constexpr uint64_t NamedBase = uint64_t(1) << 62;
  static constexpr uint64_t NamedEnd = uint64_t(1) << 63;
  static constexpr uint64_t DefaultRoom = 64;
  static constexpr size_t RememberedFrees = 65536;

  SymbolTable();

  /// The number of Name, a new one if it is new.
  uint32_t intern(NameKind Kind, llvm::StringRef Name);
  /// The name of Id; made up (T3, m0, c1, b0, o2, site 5) if the trace had none.
  std::string name(NameKind Kind, uint32_t Id) const;
  /// The name of Id if it was interned, empty if not. Valid as long as the table is.
  llvm::StringRef givenName(NameKind Kind, uint32_t Id) const;
  /// The number of Name, if it was interned.
  std::optional<uint32_t> find(NameKind Kind, llvm::StringRef Name) const;
  /// How many ids of this kind have names.
  uint32_t count(NameKind Kind) const { return uint32_t(Names[unsigned(Kind)].size()); }

  struct Variable {
    uint64_t Base = 0;
    uint64_t Room = 0;
  };
  /// The variable that Name stands for now, if it has been used or allocated.
  std::optional<Variable> lookUp(llvm::StringRef Name) const;
  /// The variable that Name stands for, with DefaultRoom if it is new.
  Variable use(llvm::StringRef Name);
  /// Gives Name a range of Size bytes (aligned to 16, to 4096 from a page on): its own
  /// one if that is large enough, otherwise one that nobody else has.
  Variable allocate(llvm::StringRef Name, uint64_t Size);
  /// Is Name allocated and not yet released?
  bool isAllocated(llvm::StringRef Name) const;
  /// Is there address space left for allocating Size bytes?
  bool canAllocate(uint64_t Size) const;
  /// Ends an allocated variable: its range may be handed out again. Anything else
  /// stays as it is.
  void release(llvm::StringRef Name);
  /// Enters a variable whose range is already decided. What was there is forgotten.
  void place(llvm::StringRef Name, Variable Where);

  /// An address for people: "x", "x+64", or "0x7f0010".
  std::string describe(uint64_t Address) const;
  /// The name and base of the variable that Address lies in; an empty name if none does.
  std::pair<llvm::StringRef, uint64_t> variableAt(uint64_t Address) const;

  /// A piece of the named address space, and whose it is or was last.
  struct Range {
    uint64_t Base = 0;
    uint64_t Room = 0;     ///< bytes that may be named
    uint64_t Capacity = 0; ///< bytes reserved: a power of two, or 0 if it was placed
    uint64_t FreedAt = 0;  ///< which free ended it, counted from 1; 0 if none has
    std::string Name;
    bool IsCurrent = false;   ///< Name stands for this range
    bool IsAllocated = false; ///< and is allocated

    /// Do Size bytes from Offset on lie inside?
    bool contains(uint64_t Offset, uint64_t Size) const {
      return Offset <= Room && Size <= Room - Offset;
    }
  };
  /// Ranges are numbered densely; a number is kept for good.
  uint32_t rangeCount() const { return uint32_t(Ranges.size()); }
  const Range &range(uint32_t Index) const {
    assert(Index < Ranges.size() && "no such range");
    return Ranges[Index];
  }
  /// The range that Name stands for.
  std::optional<uint32_t> rangeOf(llvm::StringRef Name) const;
  /// The range that Address lies in.
  std::optional<uint32_t> rangeAt(uint64_t Address) const;

private:
  uint32_t addRange(llvm::StringRef Name, uint64_t Room, uint64_t Capacity);
  void handOutAgain(uint32_t Index);

  std::array<llvm::StringMap<uint32_t>, NumNameKinds> Ids;
  std::array<std::deque<std::string>, NumNameKinds> Names; // a site's name is at Id - 1

  llvm::StringMap<uint32_t> Variables; // name -> range it stands for
  std::vector<Range> Ranges;
  struct BaseEntry {
    uint64_t Base;
    uint32_t Index;
  };
  std::vector<BaseEntry> ByBase;                    // sorted; new ranges mostly go to the end
  std::array<std::vector<uint32_t>, 64> FreeRanges; // log2 of capacity -> ranges, the last first
  std::deque<std::pair<uint32_t, uint64_t>> Remembered; // range, its FreedAt; the oldest first
  uint64_t NumFrees = 0;
  uint64_t NextBase = NamedBase;
};

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_SYMBOLS_H
