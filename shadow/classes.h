//===- classes.h - A page's partition as bit sets -----------------------------===//
//
// SlimState with bit sets for both footprints and partitions (slimstate.txt, last
// column of Table II). Memory is cut into pages; a page's shadow is a list of classes,
// each a set of locations and the cell that they share. COARSE, SPLIT, BLOCK, STRIDE
// and PREFIX are just particular lists.
//
// Committing a footprint is set algebra: every class it meets is cut into what was
// written, what was only read and the rest; the rule is applied once per class met, not
// once per location; and pieces that have ended up with the same history become one
// class again. So the list grows when threads part ways on a page and shrinks when they
// come together.
//
// A page that many threads share irregularly has many classes, and then a list is the
// wrong form: beyond MaxClasses the page becomes FINE, a table from location to cell. It
// is the same partition in another form, and equal cells are still stored once. When the
// cells have become few again, the page goes back to a list.
//
// Invariants (checked by verify):
//   classes are disjoint and not empty; locations in no class are untouched;
//   no two classes have the same history; a page is a list or a table, not both.
//
// Cells are immutable and shared between classes, of other pages as well: a sweep over
// a thousand pages makes one cell. What a page is made of is owned by whoever owns the
// page: a single-threaded analysis, or the holder of its lock.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_CLASSES_H
#define PHOTOFINISH_SHADOW_CLASSES_H

#include "detector/cell.h"
#include "shadow/bit_set.h"

#include <new>

namespace photofinish {

/// A counted reference to an immutable cell; null stands for a cell nobody has touched.
class CellRef {
public:
  CellRef() = default;
  CellRef(const CellRef &Other) : Shared(Other.Shared) {
    if (Shared)
      ++Shared->References;
  }
  CellRef(CellRef &&Other) noexcept { std::swap(Shared, Other.Shared); }
  CellRef &operator=(CellRef Other) noexcept {
    std::swap(Shared, Other.Shared);
    return *this;
  }
  ~CellRef() {
    if (!Shared || --Shared->References)
      return;
    --*Shared->Alive;
    Shared->X.~Cell();
    host::release(Shared, sizeof(Node));
  }

  /// A copy of Old's cell, to be changed before anyone else sees it. Alive counts cells.
  static CellRef copyOf(const CellRef &Old, uint64_t &Alive) {
    CellRef New;
    New.Shared = new (host::allocate(sizeof(Node))) Node{{}, 1, &Alive};
    ++Alive;
    if (Old) {
      New.Shared->X.assertOwned();
      Old.cell().assertOwned();
      New.Shared->X.copyFrom(Old.cell());
    }
    return New;
  }

  explicit operator bool() const { return Shared; }
  const Cell &cell() const { return Shared->X; }
  Cell &fresh() { return Shared->X; }
  const void *identity() const { return Shared; }

  bool sameHistory(const CellRef &Other) const {
    if (Shared == Other.Shared)
      return true;
    if (!Shared || !Other.Shared)
      return false;
    Shared->X.assertOwned();
    Other.Shared->X.assertOwned();
    return Shared->X.sameHistory(Other.Shared->X);
  }

private:
  struct Node {
    Cell X;
    uint32_t References;
    uint64_t *Alive;
  };
  Node *Shared = nullptr;
};

/// What one thread has touched of one page since it last synchronized. Private to it.
struct PageFootprint {
  uint32_t Grain; ///< bytes per location
  BitSet Read, Written;

  explicit PageFootprint(uint32_t PageBytes, uint32_t Grain)
      : Grain(Grain), Read(PageBytes / Grain), Written(PageBytes / Grain) {}

  void refineTo(uint32_t NewGrain) {
    Read = Read.refined(Grain / NewGrain);
    Written = Written.refined(Grain / NewGrain);
    Grain = NewGrain;
  }
  bool isEmpty() const { return Read.isEmpty() && Written.isEmpty(); }
};

struct CommitCounts {
  uint64_t Commits = 0; ///< footprints committed
  uint64_t Splits = 0;  ///< classes cut because they were covered in part
  uint64_t Merges = 0;  ///< pieces that joined a class with the same history
  uint64_t ToFine = 0;  ///< pages that outgrew a list of classes
  uint64_t ToList = 0;  ///< and that came back
};

template <uint32_t PageBytes> class ClassPage {
public:
  static constexpr uint32_t CoarsestGrain = 8;
  static constexpr uint32_t MaxClasses = 32;

  struct Class {
    BitSet Set;
    CellRef X;
  };

  uint32_t grain() const { return Grain; }
  bool isFine() const { return !Table.empty(); }
  bool isUntouched() const { return Classes.empty() && Table.empty(); }
  /// The classes of a list; none if the page is FINE.
  const Array<Class> &classes() const { return Classes; }

  /// The cell of a location, null if nobody has touched it.
  CellRef cellOf(uint32_t Location) const {
    if (isFine())
      return Table[Location];
    for (const Class &C : Classes)
      if (C.Set.test(Location))
        return C.X;
    return {};
  }
  template <class Fn> void forEachCell(Fn &&Visit) const {
    for (const Class &C : Classes)
      Visit(C.X.cell());
    for (const CellRef &X : Table)
      if (X)
        Visit(X.cell());
  }
  /// How many of First..Last have been touched.
  uint32_t countTouched(uint32_t First, uint32_t Last) const {
    uint32_t Count = 0;
    for (uint32_t I = First; I <= Last; ++I)
      Count += bool(cellOf(I));
    return Count;
  }

  void refineTo(uint32_t NewGrain) {
    uint32_t Factor = Grain / NewGrain;
    for (Class &C : Classes)
      C.Set = C.Set.refined(Factor);
    if (isFine()) {
      Array<CellRef> New;
      New.growTo(Table.size() * Factor);
      for (uint32_t I = 0; I < New.size(); ++I)
        New[I] = Table[I / Factor];
      Table.swap(New);
    }
    Grain = NewGrain;
  }

  /// Apply(cell, AccessKind, Runs) returns the cell that some locations, which have shared
  /// cell until now, get by the thread's write or read; Runs(Visit) calls Visit(first, last)
  /// for the runs of these locations. Afterwards F is spent. A location that was both read
  /// and written counts as written: whatever races with the read races with the write.
  template <class Fn> void commit(PageFootprint &F, CommitCounts &Counts, Fn &&Apply) {
    if (F.Grain < Grain)
      refineTo(F.Grain);
    else if (F.Grain > Grain)
      F.refineTo(Grain);
    F.Read -= F.Written;
    ++Counts.Commits;
    if (isFine()) {
      commitToTable(F.Written, AccessKind::Write, Apply);
      commitToTable(F.Read, AccessKind::Read, Apply);
      // Looking for fewer classes costs a pass over the table: worth it after a pass.
      SinceLook += F.Written.count() + F.Read.count();
      if (SinceLook >= Table.size())
        returnToList(Counts);
      return;
    }
    commitToList(F, Counts, Apply);
    if (Classes.size() > MaxClasses)
      becomeFine(Counts);
  }

  /// The bytes First..Last of the page are fresh memory.
  void reset(uint32_t First, uint32_t Last) {
    uint32_t Ends = First | (Last + 1);
    if (uint32_t Needed = Ends & -Ends; Needed < Grain)
      refineTo(Needed);
    for (uint32_t I = 0; I < Classes.size();) {
      Classes[I].Set.clearRun(First / Grain, Last / Grain);
      if (Classes[I].Set.isEmpty())
        Classes.removeUnordered(I);
      else
        ++I;
    }
    for (uint32_t I = First / Grain; isFine() && I <= Last / Grain; ++I)
      Table[I] = {};
  }

  /// Do the invariants hold?
  bool verify() const {
    if (isFine())
      return Classes.empty() && Table.size() == PageBytes / Grain;
    for (uint32_t I = 0; I < Classes.size(); ++I) {
      if (Classes[I].Set.isEmpty() || Classes[I].Set.bits() != PageBytes / Grain)
        return false;
      for (uint32_t J = 0; J < I; ++J)
        if (Classes[I].Set.meets(Classes[J].Set) || Classes[I].X.sameHistory(Classes[J].X))
          return false;
    }
    return true;
  }

private:
  template <class Fn> void commitToList(PageFootprint &F, CommitCounts &Counts, Fn &&Apply) {
    Array<Class> Pieces;
    auto Cut = [&](Class &C, BitSet &Touched, AccessKind Kind) {
      if (!C.Set.meets(Touched))
        return;
      BitSet Piece = C.Set & Touched;
      C.Set -= Piece;
      Touched -= Piece;
      Counts.Splits += !C.Set.isEmpty();
      CellRef New = Apply(C.X, Kind, [&](auto &&Visit) { Piece.forEachRun(Visit); });
      Pieces.push({std::move(Piece), std::move(New)});
    };
    for (uint32_t I = 0; I < Classes.size();) {
      Cut(Classes[I], F.Written, AccessKind::Write);
      Cut(Classes[I], F.Read, AccessKind::Read);
      if (Classes[I].Set.isEmpty())
        Classes.removeUnordered(I);
      else
        ++I;
    }
    // What is left of the footprint was untouched.
    auto First = [&](BitSet &Rest, AccessKind Kind) {
      if (Rest.isEmpty())
        return;
      CellRef New = Apply(CellRef(), Kind, [&](auto &&Visit) { Rest.forEachRun(Visit); });
      Pieces.push({std::move(Rest), std::move(New)});
    };
    First(F.Written, AccessKind::Write);
    First(F.Read, AccessKind::Read);
    for (Class &Piece : Pieces)
      put(std::move(Piece.Set), std::move(Piece.X), Counts);
  }

  void put(BitSet Set, CellRef X, CommitCounts &Counts) {
    for (Class &C : Classes)
      if (C.X.sameHistory(X)) {
        C.Set |= Set;
        ++Counts.Merges;
        return;
      }
    Classes.push({std::move(Set), std::move(X)});
  }

  template <class Fn> void commitToTable(const BitSet &Touched, AccessKind Kind, Fn &&Apply) {
    Touched.forEachRun([&](uint32_t First, uint32_t Last) {
      for (uint32_t I = First; I <= Last; ++I)
        Table[I] = Apply(Table[I], Kind, [&](auto &&Visit) { Visit(I, I); });
    });
  }

  void becomeFine(CommitCounts &Counts) {
    Table.growTo(PageBytes / Grain);
    for (Class &C : Classes)
      C.Set.forEachRun([&](uint32_t First, uint32_t Last) {
        for (uint32_t I = First; I <= Last; ++I)
          Table[I] = C.X;
      });
    Classes.clear();
    SinceLook = 0;
    ++Counts.ToFine;
  }

  /// A page that comes back at MaxClasses would leave again at once.
  void returnToList(CommitCounts &Counts) {
    SinceLook = 0;
    for (uint32_t I = 0; I < Table.size(); ++I) {
      if (!Table[I])
        continue;
      if (Classes.size() > MaxClasses / 2) {
        Classes.clear();
        return;
      }
      uint32_t Last = I; // neighbours that share a cell
      while (Last + 1 < Table.size() && Table[Last + 1].identity() == Table[I].identity())
        ++Last;
      BitSet Run(PageBytes / Grain);
      Run.setRun(I, Last);
      put(std::move(Run), Table[I], Counts);
      I = Last;
    }
    if (Classes.size() > MaxClasses / 2) {
      Classes.clear();
      return;
    }
    Array<CellRef>().swap(Table);
    ++Counts.ToList;
  }

  uint32_t Grain = CoarsestGrain;
  uint32_t SinceLook = 0; // locations committed since returnToList last tried
  Array<Class> Classes;
  Array<CellRef> Table; // by location, if the page is FINE
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_CLASSES_H
