//===- class_page.h - A page's partition --------------------------------------===//
//
// SlimState with an arbitrary partition (slimstate.txt, last column of Table II). Granules of eight
// bytes that have the same history are one *class*: a set of granules, and a Granule for all of
// them. COARSE, SPLIT, BLOCK, STRIDE and PREFIX are just particular sets.
//
//   xxxx............xxxx....   W = 1@5 R = 2@7
//   ....xx..................   bytes 0-3 W = 1@5, bytes 4-7 W = 2@3
//
// An access, or many from one place, meets a class in some of its granules: the rules are applied
// once for all of them. If those are all that the class has, it changes; otherwise they part from
// it. Classes that have become equal are joined: what was coarse is so again.
//
// A page has few classes, or is better kept granule by granule: isIrregular() says so.
//
// Invariants (verify): no granule is in two classes, no class is empty, and no two classes have the
// same history.
//
// All of it belongs to whoever holds the page's lock.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_CLASS_PAGE_H
#define PHOTOFINISH_SHADOW_CLASS_PAGE_H

#include "shadow/granule.h"
#include "shadow/granule_set.h"

namespace photofinish {

/// What commits have come to.
struct CommitCounts {
  uint64_t Commits = 0;     ///< accesses to a page, or many together
  uint64_t Splits = 0;      ///< classes that began
  uint64_t Merges = 0;      ///< classes that joined another
  uint64_t Transitions = 0; ///< classes that an access has met
  uint64_t Singles = 0;     ///< accesses to granules that came alone
  uint64_t AtOnce = 0;      ///< accesses that were not put off, by whoever puts off others

  void operator+=(const CommitCounts &Other) {
    Commits += Other.Commits;
    Splits += Other.Splits;
    Merges += Other.Merges;
    Transitions += Other.Transitions;
    Singles += Other.Singles;
    AtOnce += Other.AtOnce;
  }
};

/// Who commits.
struct Committer {
  ThreadState &T;
  Stamper &By;
  CommitCounts &Count;
};

/// A page of Lines lines, which is irregular with more than MaxClasses classes.
template <unsigned Lines, unsigned MaxClasses = 20> class ClassPage {
public:
  static constexpr uint64_t PageBytes = Lines * LineBytes;
  static constexpr unsigned NumGranules = Lines * LineGranules;
  using Set = GranuleSet<NumGranules>;

  ClassPage() = default;
  ClassPage(const ClassPage &) = delete;
  ClassPage &operator=(const ClassPage &) = delete;

  /// Somebody reads or writes elements of the page, all from one place. OnRace(offset, bytes, first
  /// epoch, its stamp and AccessKind) is told of every race. UsesAvx2: see hasAvx2().
  template <class Fn>
  void access(const Committer &Who, const Elements &E, bool IsWrite, Stamp S, bool UsesAvx2,
              Fn &&OnRace) {
    ++Who.Count.Commits;
    Access<Fn> A{Who, OnRace, IsWrite ? AccessKind::Write : AccessKind::Read, S};
    if (auto InGranule = E.First % Granule::Bytes;
        InGranule + E.span() <= Granule::Bytes && E.isRange())
      return accessOne(A, unsigned(E.First / Granule::Bytes), Granule::maskOf(InGranule, E.span()));
#if defined(__x86_64__)
    if (UsesAvx2)
      return accessWithAvx2(A, E);
#endif
    accessAll(A, E);
  }

  /// The same for the whole of some granules.
  template <class Fn>
  void access(const Committer &Who, const Set &Some, bool IsWrite, Stamp S, bool UsesAvx2,
              Fn &&OnRace) {
    ++Who.Count.Commits;
    Access<Fn> A{Who, OnRace, IsWrite ? AccessKind::Write : AccessKind::Read, S};
#if defined(__x86_64__)
    if (UsesAvx2)
      return accessGroupWithAvx2(A, 0xff, Some);
#endif
    accessGroup(A, 0xff, Some);
  }

  /// An atomic access to the bytes of Mask of one granule, at an offset. OnRace(mask, first epoch,
  /// its stamp, AccessKind).
  template <class StampFn, class Fn>
  void accessAtomically(const Committer &Who, uint64_t Offset, uint8_t Mask, AccessKind Kind,
                        StampFn &&MakeStamp, Fn &&OnRace) {
    uint32_t I = alone(unsigned(Offset / Granule::Bytes), Who.Count);
    checkGranule(Who.T, Who.By, Classes[I].G, Mask, Kind, MakeStamp, OnRace);
    Changes Changed;
    Changed.push(I);
    tidy(Changed, Who.By.all(), Who.Count);
  }

  /// The bytes are fresh memory.
  void reset(uint64_t First, uint64_t Count, Stamper &By) {
    CommitCounts Ignored;
    forEachGroup<NumGranules>(Elements::range(First, Count), [&](uint8_t Mask, const Set &Some) {
      uint32_t Known = Classes.size();
      Changes Changed;
      for (uint32_t I = 0; I < Known; ++I) {
        Set Met = Classes[I].All & Some;
        if (Met.isEmpty())
          continue;
        uint32_t Its = part(I, Met, Ignored);
        Granule &G = Classes[Its].G;
        G.store(Granule::forgotten(G.load(), By, Mask));
        Changed.push(Its);
      }
      tidy(Changed, By.all(), Ignored);
    });
  }
  /// All granules are this word; nobody has touched the page.
  void startWith(uint64_t Word) {
    Set All;
    All.addRange(0, NumGranules);
    add(All).store(Word);
  }
  /// So many histories that classes do not pay.
  bool isIrregular() const { return Classes.size() > MaxClasses; }
  /// GranuleAt(number), which is untouched, becomes every granule's own; the page is empty then.
  template <class Fn> void moveTo(Fn &&GranuleAt) {
    for (Class &C : Classes)
      C.All.forEach([&](unsigned Number) { GranuleAt(Number).store(C.G.load()); });
    clear();
  }
  void clear() { Classes.clear(); }
  /// Its stamps are kept.
  void keep(Stamps::Collection &C, const Stamps &All) {
    for (Class &Each : Classes)
      Each.G.store(Granule::kept(Each.G.load(), C, All));
  }

  /// The bytes of a line that have been accessed.
  ByteMask touched(unsigned Line, const Stamps &All) const {
    ByteMask Touched = 0;
    for (const Class &C : Classes)
      for (unsigned I = 0; I < LineGranules; ++I)
        if (C.All.contains(Line * LineGranules + I))
          Touched |= ByteMask(C.G.touched(All)) << I * Granule::Bytes;
    return Touched;
  }
  /// The bytes of a location: of a granule, or one.
  uint32_t grain(const Stamps &All) const {
    bool IsWhole = true;
    for (const Class &C : Classes)
      C.G.forEach(All, [&](uint8_t Mask) { IsWhole &= Mask == 0xff; });
    return IsWhole ? Granule::Bytes : 1;
  }
  /// Cells that are stored for this page.
  uint64_t numCells(const Stamps &All) const {
    uint64_t Cells = 0;
    for (const Class &C : Classes)
      C.G.forEach(All, [&](uint8_t) { ++Cells; });
    return Cells;
  }
  uint32_t numClasses() const { return Classes.size(); }
  /// What bytes have that lie in the page.
  CellCount count(uint64_t First, uint64_t Bytes, const Stamps &All) const {
    CellCount Sum;
    for (const Class &C : Classes) {
      bool IsMet = false;
      forEachGroup<NumGranules>(Elements::range(First, Bytes), [&](uint8_t Mask, const Set &Some) {
        Set Met = C.All & Some;
        IsMet |= !Met.isEmpty();
        Sum.addBytes(C.G, Mask, Met.size(), All);
      });
      if (IsMet)
        C.G.forEach(All, [&](uint8_t) { ++Sum.Cells; });
    }
    return Sum;
  }

  /// Do the invariants hold?
  bool verify(const Stamps &All) const {
    Set Others;
    for (uint32_t I = 0; I < Classes.size(); ++I) {
      const Class &C = Classes[I];
      if (C.All.isEmpty() || C.G.isUntouched() || !(C.All & Others).isEmpty())
        return false;
      Others |= C.All;
      for (uint32_t J = 0; J < I; ++J)
        if (areEqual(C, Classes[J], All))
          return false;
    }
    return true;
  }

private:
  struct Class {
    Set All;
    Granule G; // of each
  };
  static bool areEqual(const Class &A, const Class &B, const Stamps &All) {
    return Granule::areAlike(A.G.load(), B.G.load(), All);
  }

  /// Numbers of classes that have changed.
  struct Changes {
    uint64_t Some = 0;
    bool All = false; ///< there are too many to say

    void push(uint32_t I) {
      Some |= I < 64 ? uint64_t(1) << I : 0;
      All |= I >= 64;
    }
  };

  template <class Fn> struct Access {
    const Committer &Who;
    Fn &OnRace;
    AccessKind Kind;
    Stamp S;
  };

#if defined(__x86_64__)
  template <class Fn>
  __attribute__((target("avx2"))) void accessWithAvx2(Access<Fn> &A, const Elements &E) {
    accessAll(A, E);
  }
  template <class Fn>
  __attribute__((target("avx2"))) void accessGroupWithAvx2(Access<Fn> &A, uint8_t Mask,
                                                           const Set &Some) {
    accessGroup(A, Mask, Some);
  }
#endif
  template <class Fn> PF_INLINE void accessAll(Access<Fn> &A, const Elements &E) {
    forEachGroup<NumGranules>(E, [&](uint8_t Mask, const Set &Some) __attribute__((always_inline)) {
      accessGroup(A, Mask, Some);
    });
  }

  /// The bytes of Mask of some granules are accessed.
  template <class Fn> PF_INLINE void accessGroup(Access<Fn> &A, uint8_t Mask, const Set &Some) {
    Set Left = Some;
    uint32_t Known = Classes.size();
    Changes Changed;
    for (uint32_t I = 0; I < Known; ++I) {
      Set Met = Classes[I].All & Left;
      if (Met.isEmpty())
        continue;
      Left -= Met;
      meet(A, I, Mask, Met, Met == Classes[I].All, Changed);
      if (Left.isEmpty())
        break;
    }
    if (!Left.isEmpty())
      begin(A, Mask, Left, Changed);
    tidy(Changed, A.Who.By.all(), A.Who.Count);
  }
  /// The same for one granule.
  template <class Fn> void accessOne(Access<Fn> &A, unsigned Number, uint8_t Mask) {
    Set Only = Set::only(Number);
    Changes Changed;
    uint32_t I = 0;
    while (I < Classes.size() && !Classes[I].All.contains(Number))
      ++I;
    if (I < Classes.size())
      meet(A, I, Mask, Only, Only == Classes[I].All, Changed);
    else
      begin(A, Mask, Only, Changed);
    tidy(Changed, A.Who.By.all(), A.Who.Count);
  }

  /// Granules of a class are accessed: all of them, or some.
  template <class Fn>
  void meet(Access<Fn> &A, uint32_t I, uint8_t Mask, const Set &Met, bool AreAll,
            Changes &Changed) {
    ++A.Who.Count.Transitions;
    if (AreAll) {
      check(A, Classes[I].G, Mask, Met);
      return Changed.push(I);
    }
    Granule New;
    New.store(Classes[I].G.load());
    check(A, New, Mask, Met);
    if (Granule::areAlike(New.load(), Classes[I].G.load(), A.Who.By.all()))
      return;
    ++A.Who.Count.Splits;
    Classes[I].All -= Met;
    add(Met).store(New.load());
    Changed.push(Classes.size() - 1);
  }
  /// Granules that nobody has touched are accessed.
  template <class Fn> void begin(Access<Fn> &A, uint8_t Mask, const Set &Some, Changes &Changed) {
    ++A.Who.Count.Splits;
    check(A, add(Some), Mask, Some);
    Changed.push(Classes.size() - 1);
  }
  template <class Fn> void check(Access<Fn> &A, Granule &G, uint8_t Mask, const Set &Met) {
    checkGranule(
        A.Who.T, A.Who.By, G, Mask, A.Kind, [&] { return A.S; },
        [&](uint8_t Raced, Epoch E, Stamp S, AccessKind Kind) { tell(A, Met, Raced, E, S, Kind); });
  }
  /// One race for every run of bytes.
  template <class Fn>
  __attribute__((noinline)) void tell(Access<Fn> &A, const Set &Met, uint8_t Mask, Epoch E, Stamp S,
                                      AccessKind Kind) {
    uint64_t Start = 0, End = 0;
    Met.forEach([&](unsigned Number) {
      forEachRun(Mask, [&](unsigned Byte, unsigned Count) {
        uint64_t At = Number * Granule::Bytes + Byte;
        if (At != End) {
          if (End != Start)
            A.OnRace(Start, End - Start, E, S, Kind);
          Start = At;
        }
        End = At + Count;
      });
    });
    A.OnRace(Start, End - Start, E, S, Kind);
  }

  Granule &add(const Set &Some) {
    Classes.growTo(Classes.size() + 1);
    Classes.back().All = Some;
    return Classes.back().G;
  }
  /// A class of just these granules of a class's.
  uint32_t part(uint32_t I, const Set &Some, CommitCounts &Count) {
    if (Some == Classes[I].All)
      return I;
    ++Count.Splits;
    Classes[I].All -= Some;
    Granule &G = add(Some);
    G.store(Classes[I].G.load());
    return Classes.size() - 1;
  }
  /// A class of just this granule, which may be untouched until the caller has touched it.
  uint32_t alone(unsigned Number, CommitCounts &Count) {
    Set Only = Set::only(Number);
    for (uint32_t I = 0; I < Classes.size(); ++I)
      if (Classes[I].All.contains(Number))
        return part(I, Only, Count);
    ++Count.Splits;
    add(Only);
    return Classes.size() - 1;
  }
  /// Of the classes that have changed, those that are equal to another join it, and those that are
  /// untouched go.
  void tidy(const Changes &Changed, const Stamps &All, CommitCounts &Count) {
    // From the last on, so that the class that takes the place of one that goes has been looked at.
    if (Changed.All)
      for (uint32_t I = Classes.size(); I--;)
        settle(I, All, Count);
    else
      for (uint64_t Left = Changed.Some; Left;) {
        auto I = uint32_t(std::bit_width(Left) - 1);
        Left ^= uint64_t(1) << I;
        settle(I, All, Count);
      }
  }
  void settle(uint32_t I, const Stamps &All, CommitCounts &Count) {
    if (!Classes[I].G.isUntouched()) {
      uint32_t J = 0;
      while (J < Classes.size() && (J == I || !areEqual(Classes[J], Classes[I], All)))
        ++J;
      if (J == Classes.size())
        return;
      ++Count.Merges;
      Classes[J].All |= Classes[I].All;
    }
    Classes.removeUnordered(I);
  }

  Array<Class> Classes;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_CLASS_PAGE_H
