//===- class_page.h - A page's partition --------------------------------------===//
//
// SlimState with an arbitrary partition (slimstate.txt, last column of Table II). Granules of eight
// bytes that have the same history are one *class*: the page knows the class of every granule, its
// label, and the history of every class (shadow/history.h), which other pages may have, too.
// COARSE, SPLIT, BLOCK, STRIDE and PREFIX are just particular ways to label.
//
//   labels    1 1 1 1 2 2 0 3 3 ...          0: nobody has touched the granule
//   classes   1: ff W = 1@5 R = 2@7   2: 0f W = 1@5, f0 W = 2@3   ...
//
// An access, or many from one place, finds granules that are alike, of one class and with the same
// bytes accessed, many at once (shadow/lanes.h), and applies the rules once for all of them.
// Whoever was in a class together and is still alike stays together; classes without granules go.
//
// Granules that atomics touch are *fine*: they have a Granule of their own, because they have a
// history of atomics, too. So are granules for which there would be too many classes.
//
// Invariants (verify):
//   a class has as many granules as are labelled with it, and a history that is not empty;
//   fine granules are those labelled so.
//
// All of it belongs to whoever holds the page's lock.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_CLASS_PAGE_H
#define PHOTOFINISH_SHADOW_CLASS_PAGE_H

#include "shadow/elements.h"
#include "shadow/history.h"
#include "shadow/lanes.h"

namespace photofinish {

/// A page of Lines lines with at most MaxClasses classes. Whoever has one clears it before it goes.
template <unsigned Lines, unsigned MaxClasses = 254> class ClassPage {
  using Label = uint8_t;
  static constexpr Label Untouched = 0, Fine = 255;
  static constexpr unsigned NumGranules = Lines * LineGranules;
  static_assert(MaxClasses < Fine && NumGranules % Lanes::Count == 0);

public:
  static constexpr uint64_t PageBytes = Lines * LineBytes;

  ClassPage() = default;
  ClassPage(const ClassPage &) = delete;
  ClassPage &operator=(const ClassPage &) = delete;

  /// T reads or writes elements of the page, all from one place. OnRace(offset, bytes, first epoch,
  /// its Note and AccessKind) is told of every race.
  template <class Fn>
  void access(ThreadState &T, const Elements &E, bool IsWrite, Note N, Histories &H, Fn &&OnRace) {
    ++H.Count.Commits;
    Access<Fn> A{T,      H,
                 OnRace, IsWrite ? AccessKind::Write : AccessKind::Read,
                 N,      E.span() <= 4 * Granule::Bytes};
    auto InGranule = unsigned(E.First % Granule::Bytes);
    if (E.span() + InGranule <= Granule::Bytes && E.isRange())
      return accessGranule(A, unsigned(E.First / Granule::Bytes),
                           Granule::maskOf(InGranule, E.span()));
    forEachBlock(E, [&](unsigned First, const Lanes &Bytes) { accessBlock(A, First, Bytes); });
  }

  /// An atomic access to the bytes of Mask of one granule, at an offset. OnRace(mask, first epoch,
  /// Note, AccessKind).
  template <class NoteFn, class Fn>
  void accessAtomically(ThreadState &T, uint64_t Offset, uint8_t Mask, AccessKind Kind,
                        NoteFn &&MakeNote, Histories &H, Fn &&OnRace) {
    checkGranule(T, makeFine(unsigned(Offset / Granule::Bytes), H), Mask, Kind, MakeNote, OnRace);
  }

  /// The bytes are fresh memory.
  void reset(uint64_t First, uint64_t Count, Histories &H) {
    forEachBlock(Elements::range(First, Count),
                 [&](unsigned Start, const Lanes &Bytes) { resetBlock(Start, Bytes, H); });
  }
  /// All bytes were written once, and nothing else; nobody has touched the page.
  void startWith(Epoch Written, Note N, Histories &H) {
    Cell X;
    X.assertOwned();
    X.setWrite(Written, N);
    History *Only = H.make();
    Only->G.put(0xff, X);
    Label L = labelFor(Only, H);
    std::memset(Labels, L, sizeof(Labels));
    move(Untouched, L, NumGranules, H);
  }
  /// So many histories that classes do not pay.
  bool isIrregular() const { return NumLive > MaxClasses / 4 * 3; }
  /// GranuleAt(number), which is untouched, becomes every granule's own; the page is empty then.
  template <class Fn> void moveTo(Fn &&GranuleAt, Histories &H) {
    for (unsigned I = 0; I < NumGranules; ++I)
      if (Labels[I] == Fine)
        GranuleAt(I).takeFrom(fineGranule(I));
      else if (Labels[I] != Untouched)
        GranuleAt(I).copyFrom(classOf(Labels[I]).H->G);
    clear(H);
  }
  void clear(Histories &H) {
    for (Class &C : Classes)
      if (C.Count)
        H.drop(C.H);
    Classes.clear();
    NumLive = 0;
    FirstFree = Latest = 0;
    std::memset(Recent, Untouched, sizeof(Recent));
    std::memset(Labels, Untouched, sizeof(Labels));
    dropFine();
  }

  /// The bytes of a line that have been accessed.
  ByteMask touched(unsigned Line) const {
    ByteMask Touched = 0;
    for (unsigned G = 0; G < LineGranules; ++G)
      if (const Granule *X = granuleOf(Line * LineGranules + G))
        X->forEach([&](uint8_t Mask) { Touched |= ByteMask(Mask) << G * Granule::Bytes; });
    return Touched;
  }
  /// The bytes of a location: of a granule, or one.
  uint32_t grain() const {
    for (const Class &C : Classes)
      if (C.Count && !isWhole(C.H->G))
        return 1;
    return Granule::Bytes;
  }
  /// Cells that are stored for this page; what it has in common with others counts as a part.
  double numCells() const {
    double Cells = 0;
    for (const Class &C : Classes)
      if (C.Count)
        Cells += countParts(C.H->G) / C.H->References.load(std::memory_order_relaxed);
    for (const Granule *G : FineGranules)
      Cells += countParts(*G);
    return Cells;
  }
  uint32_t numClasses() const { return NumLive; }
  uint32_t numFine() const { return FineGranules.size(); }

  /// Do the invariants hold?
  bool verify() const {
    uint32_t Counts[256] = {}, Live = 0;
    for (Label L : Labels)
      ++Counts[L];
    if (Counts[Fine] != FineGranules.size())
      return false;
    for (uint32_t I = 0; I < Classes.size(); ++I) {
      const Class &C = Classes[I];
      if (Counts[I + 1] != C.Count)
        return false;
      if (!C.Count)
        continue;
      ++Live;
      if (C.H->G.isUntouched() || C.H->G.hasAtomics() || !C.H->References.load())
        return false;
    }
    for (unsigned G = 0; G < NumGranules; ++G)
      if (Labels[G] == Fine && (!SlotOf || SlotOf[G] >= FineGranules.size()))
        return false;
    return Live == NumLive;
  }

private:
  // Classes.

  /// The granules that have one history.
  struct Class {
    History *H = nullptr;
    uint16_t Count = 0; // granules
    Label NextFree = 0; // while it has none
  };
  static_assert(NumGranules <= UINT16_MAX);

  Class &classOf(Label L) { return Classes[L - 1u]; }
  const Class &classOf(Label L) const { return Classes[L - 1u]; }
  /// Null if nobody has touched it.
  const Granule *granuleOf(unsigned Number) const {
    Label L = Labels[Number];
    return L == Untouched ? nullptr : L == Fine ? &fineGranule(Number) : &classOf(L).H->G;
  }

  /// The class with a history, which this page refers to from now on if it did not; Fine if there
  /// is no room for it, and Untouched if it is empty.
  Label labelFor(History *H, Histories &Own) {
    if (H->G.isUntouched()) {
      Own.drop(H);
      return Untouched;
    }
    for (Label L : Recent)
      if (L && classOf(L).H == H)
        return merge(L, H, Own);
    if (NumLive <= FewClasses)
      for (uint32_t I = 0; I < Classes.size(); ++I)
        if (Classes[I].H == H)
          return merge(Label(I + 1), H, Own);
    if (NumLive == MaxClasses) {
      Own.drop(H);
      return Fine;
    }
    return begin(H, Own);
  }
  /// A new class. There must be room.
  Label begin(History *H, Histories &Own) {
    ++Own.Count.Splits;
    ++NumLive;
    if (!FirstFree) {
      Classes.push({});
      FirstFree = Label(Classes.size());
    }
    Label New = FirstFree;
    FirstFree = classOf(New).NextFree;
    classOf(New) = {H, 0, 0};
    Recent[NextRecent++ % NumRecent] = New;
    return New;
  }
  Label merge(Label L, History *H, Histories &Own) {
    ++Own.Count.Merges;
    Own.drop(H); // the class refers to it already
    return L;
  }
  /// Granules change their class.
  void move(Label From, Label To, unsigned Number, Histories &H) {
    if (To != Untouched)
      classOf(To).Count = uint16_t(classOf(To).Count + Number);
    leave(From, Number, H);
  }
  void leave(Label L, unsigned Number, Histories &H) {
    if (L == Untouched)
      return;
    Class &C = classOf(L);
    C.Count = uint16_t(C.Count - Number);
    if (C.Count)
      return;
    H.drop(C.H);
    --NumLive;
    C = {nullptr, 0, FirstFree};
    FirstFree = L;
  }
  /// Has the class no granules but so many, and does nobody else have its history?
  bool isAlone(Label L, unsigned Number) const {
    return L != Untouched && classOf(L).Count == Number && !classOf(L).H->isShared();
  }

  // Accesses.

  template <class Fn> struct Access {
    ThreadState &T;
    Histories &H;
    Fn &OnRace;
    AccessKind Kind;
    Note N;
    bool IsSmall; // few granules
    // What the class of a label has become last.
    Label From = Fine, To = Fine;
    uint8_t Bytes = 0;
  };

  /// Calls Visit(first granule, bytes of every granule) for the blocks that have elements.
  template <class Fn> static void forEachBlock(const Elements &E, Fn &&Visit) {
    constexpr unsigned PerBlock = Lanes::Count / LineGranules;
    ByteMask Bytes[PerBlock];
    unsigned Block = ~0u;
    auto Flush = [&] {
      if (Block != ~0u)
        Visit(Block * Lanes::Count, Lanes::load(Bytes));
    };
    E.forEachLine([&](uint64_t At, ByteMask Here) {
      auto Line = unsigned(At / LineBytes);
      if (Line / PerBlock != Block) {
        Flush();
        Block = Line / PerBlock;
        std::memset(Bytes, 0, sizeof(Bytes));
      }
      Bytes[Line % PerBlock] |= Here;
    });
    Flush();
  }

  /// The granules from First on, as many as there are lanes.
  template <class Fn> void accessBlock(Access<Fn> &A, unsigned First, const Lanes &Bytes) {
    const Lanes Old = Lanes::load(&Labels[First]);
    Lanes New = Old;
    for (uint32_t Left = ~(Bytes == 0).bits(); Left;) {
      auto I = unsigned(std::countr_zero(Left));
      Lanes Alike = (Old == Old[I]) & (Bytes == Bytes[I]);
      uint32_t Which = Old[I] == Fine ? 1u << I : Alike.bits();
      Left &= ~Which;
      Label To = Old[I] == Fine ? Fine : step(A, Old[I], Bytes[I], First, Which);
      if (To == Fine) {
        for (; Which; Which &= Which - 1) {
          auto G = unsigned(std::countr_zero(Which));
          accessFine(A, First + G, Bytes[I]);
          New = New.with(Labels[First + G], Lanes::only(G));
        }
      } else if (To != Old[I]) {
        New = New.with(To, Alike);
        move(Old[I], To, unsigned(std::popcount(Which)), A.H);
      }
    }
    New.store(&Labels[First]);
  }
  template <class Fn> void accessGranule(Access<Fn> &A, unsigned Number, uint8_t Bytes) {
    Label Old = Labels[Number];
    Label To = Old == Fine ? Fine : step(A, Old, Bytes, Number, 1);
    if (To == Fine)
      return accessFine(A, Number, Bytes);
    if (To == Old)
      return;
    Labels[Number] = To;
    move(Old, To, 1, A.H);
  }

  /// Which class granules of a class get. Which are those of them from First on whose bytes were
  /// accessed.
  template <class Fn>
  Label step(Access<Fn> &A, Label From, uint8_t Bytes, unsigned First, uint32_t Which) {
    if (From == A.From && Bytes == A.Bytes)
      return A.To;
    History *Old = From == Untouched ? nullptr : classOf(From).H;
    bool IsWrite = A.Kind == AccessKind::Write;
    Epoch Now = A.T.now();
    if (Old && (IsWrite ? Old->G.isWrittenSince(Bytes, Now)
                        : Old->G.isReadSince(Bytes, Now) || Old->G.isSharedReadSince(Bytes, Now)))
      return From;
    ++A.H.Count.Transitions;
    bool Raced = false;
    auto Check = [&](Granule &G) {
      checkGranule(
          A.T, G, Bytes, A.Kind, [&] { return A.N; },
          [&](uint8_t Mask, Epoch E, Note N, AccessKind Kind) {
            Raced = true;
            tell(A, First, Which, Mask, E, N, Kind);
          });
    };
    if (isAlone(From, unsigned(std::popcount(Which)))) {
      ++A.H.Count.InPlace;
      Check(Old->G);
      return isLatest(Old) ? Latest : Latest = From;
    }
    // What few granules become is hardly ever what others do, unless they are fresh.
    bool IsCommon = !Old || !A.IsSmall;
    auto &Known = A.H.find(Old, Bytes, IsWrite, A.N);
    if (IsCommon && A.H.isThere(Known, Old, Bytes, IsWrite, A.N)) {
      ++A.H.Count.Shared;
      Label To = Known.Label;
      if (Known.Page == this && To <= Classes.size() && classOf(To).H == Known.New)
        ++A.H.Count.Merges;
      else
        To = labelFor(A.H.share(Known.New), A.H);
      return settle(A, From, Bytes, To, Known);
    }
    // Where there is no room for another class, every granule finds its races itself.
    if (NumLive == MaxClasses)
      return Fine;
    History *New = A.H.make();
    if (Old)
      New->G.copyFrom(Old->G);
    Check(New->G);
    if (Raced)
      return Latest = labelFor(equalOf(New, A.H), A.H);
    if (isLatest(New)) {
      A.H.drop(New);
      New = classOf(Latest).H;
    } else {
      Latest = begin(New, A.H);
    }
    if (!IsCommon)
      return Latest;
    A.H.remember(Known, Old, New, Bytes, IsWrite, A.N);
    return settle(A, From, Bytes, Latest, Known);
  }
  /// The class that a transition has led to in this page, for the next time.
  template <class Fn>
  Label settle(Access<Fn> &A, Label From, uint8_t Bytes, Label To, Histories::Transition &Known) {
    if (To == Fine)
      return To;
    Known.Page = this;
    Known.Label = To;
    A.From = From;
    A.Bytes = Bytes;
    return A.To = Latest = To;
  }
  /// Is it what another history has become just before?
  bool isLatest(const History *H) const {
    const History *Other = Latest && Latest <= Classes.size() ? classOf(Latest).H : nullptr;
    return Other && Other != H && Other->G.hasHistoryOf(H->G);
  }

  /// One race for every run of bytes.
  template <class Fn>
  __attribute__((noinline)) void tell(Access<Fn> &A, unsigned First, uint32_t Which, uint8_t Mask,
                                      Epoch E, Note N, AccessKind Kind) {
    uint64_t Start = 0, End = 0;
    for (; Which; Which &= Which - 1)
      forEachRun(Mask, [&](unsigned Byte, unsigned Count) {
        uint64_t At = (First + unsigned(std::countr_zero(Which))) * Granule::Bytes + Byte;
        if (At != End) {
          if (End != Start)
            A.OnRace(Start, End - Start, E, N, Kind);
          Start = At;
        }
        End = At + Count;
      });
    A.OnRace(Start, End - Start, E, N, Kind);
  }
  /// A history of this page's that is equal to H, which goes then; H if there is none. Transitions
  /// that found a race are not remembered, so that the race is found in every block.
  History *equalOf(History *H, Histories &Own) {
    for (Class &C : Classes)
      if (C.Count && C.H->G.hasHistoryOf(H->G)) {
        Own.drop(H);
        return Own.share(C.H);
      }
    return H;
  }

  // Fine granules.

  Granule &fineGranule(unsigned Number) const { return *FineGranules[SlotOf[Number]]; }

  /// Its own Granule, with the history that it has in its class.
  Granule &makeFine(unsigned Number, Histories &H) {
    Label Old = Labels[Number];
    if (Old == Fine)
      return fineGranule(Number);
    if (!SlotOf)
      SlotOf = static_cast<uint16_t *>(host::allocate(NumGranules * sizeof(uint16_t)));
    auto *G = new (host::allocate(sizeof(Granule))) Granule();
    if (Old != Untouched)
      G->copyFrom(classOf(Old).H->G);
    SlotOf[Number] = uint16_t(FineGranules.size());
    FineGranules.push(G);
    Labels[Number] = Fine;
    leave(Old, 1, H);
    return *G;
  }

  template <class Fn> void accessFine(Access<Fn> &A, unsigned Number, uint8_t Bytes) {
    if (Labels[Number] != Fine)
      ++A.H.Count.ToFine;
    Granule &G = makeFine(Number, A.H);
    checkGranule(
        A.T, G, Bytes, A.Kind, [&] { return A.N; },
        [&](uint8_t Mask, Epoch E, Note N, AccessKind Kind) {
          tell(A, Number, 1, Mask, E, N, Kind);
        });
    // Back to a class, if there is room, not just for one: another would have to leave at once.
    if (NumLive > MaxClasses / 2 || G.hasAtomics())
      return;
    ++A.H.Count.ToClasses;
    History *New = A.H.make();
    New->G.takeFrom(G);
    dropFine(Number);
    Labels[Number] = labelFor(equalOf(New, A.H), A.H);
    move(Untouched, Labels[Number], 1, A.H);
  }

  void dropFine(unsigned Number) {
    uint16_t Slot = SlotOf[Number];
    deleteGranule(FineGranules[Slot]);
    FineGranules.removeUnordered(Slot);
    Labels[Number] = Untouched;
    if (Slot == FineGranules.size())
      return;
    for (unsigned G = 0; G < NumGranules; ++G) // whose granule has moved
      if (Labels[G] == Fine && SlotOf[G] == FineGranules.size())
        SlotOf[G] = Slot;
  }
  void dropFine() {
    for (Granule *G : FineGranules)
      deleteGranule(G);
    FineGranules = {};
    host::release(SlotOf, NumGranules * sizeof(uint16_t));
    SlotOf = nullptr;
  }
  static void deleteGranule(Granule *G) {
    G->~Granule();
    host::release(G, sizeof(Granule));
  }

  // Fresh memory.

  void resetBlock(unsigned First, const Lanes &Bytes, Histories &H) {
    const Lanes Old = Lanes::load(&Labels[First]);
    Lanes New = Old;
    for (uint32_t Left = ~((Bytes == 0) | (Old == Untouched)).bits(); Left;) {
      auto I = unsigned(std::countr_zero(Left));
      Lanes Alike = (Old == Old[I]) & (Bytes == Bytes[I]);
      uint32_t Which = Old[I] == Fine ? 1u << I : Alike.bits();
      Left &= ~Which;
      if (Old[I] == Fine) {
        Granule &G = fineGranule(First + I);
        G.forget(Bytes[I]);
        if (G.isUntouched()) {
          dropFine(First + I);
          New = New.with(Untouched, Lanes::only(I));
        }
        continue;
      }
      Label To = resetClass(Old[I], Bytes[I], unsigned(std::popcount(Which)), H);
      if (To == Fine) {
        for (; Which; Which &= Which - 1) {
          auto G = unsigned(std::countr_zero(Which));
          makeFine(First + G, H).forget(Bytes[I]);
          New = New.with(Fine, Lanes::only(G));
        }
      } else if (To != Old[I]) {
        New = New.with(To, Alike);
        move(Old[I], To, unsigned(std::popcount(Which)), H);
      }
    }
    New.store(&Labels[First]);
  }
  /// The class of so many granules of a class, when some of their bytes are fresh.
  Label resetClass(Label From, uint8_t Bytes, unsigned Number, Histories &H) {
    if (Bytes == 0xff)
      return Untouched;
    if (isAlone(From, Number)) {
      Granule &G = classOf(From).H->G;
      G.forget(Bytes);
      return G.isUntouched() ? Untouched : From;
    }
    History *New = H.make();
    New->G.copyFrom(classOf(From).H->G);
    New->G.forget(Bytes);
    return labelFor(New, H);
  }

  // Sizes.

  static double countParts(const Granule &G) {
    unsigned Parts = 0;
    G.forEach([&](uint8_t) { ++Parts; });
    return Parts;
  }
  static bool isWhole(const Granule &G) {
    bool Is = true;
    G.forEach([&](uint8_t Mask) { Is &= Mask == 0xff; });
    return Is;
  }

  static constexpr unsigned NumRecent = 4, FewClasses = 32;

  Label Labels[NumGranules] = {};
  Array<Class> Classes; // that of label I + 1; those without granules are free
  Array<Granule *> FineGranules;
  uint16_t *SlotOf = nullptr; // by granule, in FineGranules; for those labelled so
  uint32_t NumLive = 0;
  Label FirstFree = 0; // class without granules
  Label Latest = 0;    // of a history that was made last; it may have ended
  uint8_t NextRecent = 0;
  Label Recent[NumRecent] = {}; // classes that began last; they may have ended
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_CLASS_PAGE_H
