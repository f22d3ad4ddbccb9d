//===- class_page.h - A page's partition --------------------------------------===//
//
// SlimState with an arbitrary partition (slimstate.txt, last column of Table II). Granules of eight
// bytes that have the same history are one *class*: the page knows the class of every granule, its
// label, and the history of every class. COARSE, SPLIT, BLOCK, STRIDE and PREFIX are just
// particular ways to label.
//
//   labels    1 1 1 1 2 2 0 3 3 ...          0: nobody has touched the granule
//   classes   1: ff W = 1@5 R = 2@7   2: 0f W = 1@5, f0 W = 2@3   ...
//
// A class has its history by bytes, as a granule does (shadow/granule.h): most often one cell for
// all eight; several parts, where a granule's bytes were accessed apart.
//
// Committing a footprint finds granules that are alike, of one class and with the same bytes read
// and written, many at once (shadow/lanes.h), and applies the rules once for all of them: what the
// class's history becomes is the history of a class that is there already, or of a new one. Whoever
// was in a class together and is still alike stays together; classes without granules go.
//
// Where accesses came from, for reports, is not part of the history: two sites that sweep one
// array together would tear its classes apart. It is kept beside the classes, by epoch
// (shadow/page_records.h). A record goes some time after no class mentions its epoch any more.
//
// Granules that atomics touch are *fine*: they have a Granule of their own, because they have a
// history of atomics, too. So are granules for which there would be too many classes.
//
// Invariants (verify):
//   a class has as many granules as are labelled with it; the parts of its state are disjoint;
//   every epoch that a class mentions has a record;
//   fine granules are those labelled so.
//
// All of it belongs to whoever holds the page's lock.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_CLASS_PAGE_H
#define PHOTOFINISH_SHADOW_CLASS_PAGE_H

#include "detector/verifiedft.h"
#include "shadow/class_cell.h"
#include "shadow/granule.h"
#include "shadow/page_records.h"

namespace photofinish {

struct CommitCounts {
  uint64_t Commits = 0;           ///< footprints of pages
  uint64_t Splits = 0;            ///< classes that began
  uint64_t Merges = 0;            ///< states that a class had already
  uint64_t SharedTransitions = 0; ///< cells that became what an equal one had become
  uint64_t ToFine = 0;            ///< granules that there was no class for
  uint64_t ToClasses = 0;         ///< and that came back

  void operator+=(const CommitCounts &Other) {
    Commits += Other.Commits;
    Splits += Other.Splits;
    Merges += Other.Merges;
    SharedTransitions += Other.SharedTransitions;
    ToFine += Other.ToFine;
    ToClasses += Other.ToClasses;
  }
};

/// What cells have become while one thread commits, page by page: the same again and again. A
/// transition that found a race is not among them, so that the race is found on every page.
class Transitions {
public:
  /// The last transition of such a cell, if it was from the same one; null if not.
  const ClassCell *find(const ClassCell &Old, bool IsRead, bool IsWritten) const {
    const Known &K = Last[IsRead * 2 + IsWritten];
    return K.IsThere && K.Old.isIdentical(Old) ? &K.New : nullptr;
  }
  void add(ClassCell Old, ClassCell New, bool IsRead, bool IsWritten) {
    Last[IsRead * 2 + IsWritten] = {std::move(Old), std::move(New), true};
  }

private:
  struct Known {
    ClassCell Old, New;
    bool IsThere = false;
  };
  Known Last[4];
};

/// A page of Lines lines with at most MaxClasses classes.
template <unsigned Lines, unsigned MaxClasses = 254> class ClassPage {
  using Label = uint8_t;
  static constexpr Label Untouched = 0, Fine = 255;
  static constexpr unsigned NumGranules = Lines * LineGranules;
  static_assert(MaxClasses < Fine && NumGranules % Lanes::Count == 0);

public:
  static constexpr uint64_t PageBytes = Lines * LineBytes;
  using Footprint = PageFootprint<Lines>;

  ClassPage() = default;
  ClassPage(const ClassPage &) = delete;
  ClassPage &operator=(const ClassPage &) = delete;
  ~ClassPage() { dropFine(); }

  /// T has made the accesses of F in the window since its clock last changed. OnRace(offset, bytes,
  /// first epoch, its Note and AccessKind, second Note and AccessKind) is told of every race.
  template <class Fn>
  void commit(ThreadState &T, const Footprint &F, const Window &W, Transitions &Memo,
              CommitCounts &Counts, Fn &&OnRace) {
    ++Counts.Commits;
    Commit<Fn> C(T, F, W, Memo, Counts, OnRace);
    for (bool IsWrite : {false, true})
      C.HadRecord[IsWrite] = Records.find(T.now(), IsWrite);
    constexpr unsigned PerLanes = Lanes::Count / LineGranules;
    for (auto Left = F.touched() & W.lines(); Left;) {
      unsigned Line = unsigned(std::countr_zero(Left)) / PerLanes * PerLanes;
      commitLanes(C, Line * LineGranules);
      Left &= ~(((uint64_t(1) << PerLanes) - 1) << Line);
    }
    pruneRecords();
  }

  /// An atomic access to the bytes of Mask of one granule, at an offset. OnRace(mask, first epoch,
  /// Note, AccessKind).
  template <class NoteFn, class Fn>
  void accessAtomically(ThreadState &T, uint64_t Offset, uint8_t Mask, AccessKind Kind,
                        NoteFn &&MakeNote, Fn &&OnRace) {
    checkGranule(T, makeFine(unsigned(Offset / Granule::Bytes)), Mask, Kind, MakeNote, OnRace);
  }

  /// The bytes are fresh memory.
  void reset(uint64_t First, uint64_t Count) {
    forEachLine(First, Count, [&](uint64_t At, ByteMask Bytes) {
      forEachGranuleOf(Bytes, [&](unsigned G, uint8_t Mask) {
        resetGranule(unsigned(At / LineBytes) * LineGranules + G, Mask);
      });
    });
  }

  /// The bytes of a line that have been accessed.
  ByteMask touched(unsigned Line) const {
    ByteMask Touched = 0;
    for (unsigned G = 0; G < LineGranules; ++G)
      forEachPart(Line * LineGranules + G,
                  [&](uint8_t Mask) { Touched |= ByteMask(Mask) << G * Granule::Bytes; });
    return Touched;
  }
  /// The bytes of a location: of a granule, or one.
  uint32_t grain() const {
    for (const Class &C : Classes)
      if (C.Count && C.Mask != 0xff)
        return 1;
    return Granule::Bytes;
  }
  /// Histories that are stored.
  uint32_t numCells() const {
    uint32_t Count = 0;
    for (const Class &C : Classes)
      Count += C.Count ? 1 + C.NumMore : 0;
    for (const Granule *G : FineGranules)
      G->forEach([&](uint8_t) { ++Count; });
    return Count;
  }
  uint32_t numClasses() const { return NumLive; }
  uint32_t numRecords() const { return Records.size(); }

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
      uint8_t Seen = 0;
      bool IsGood = true;
      forEachPartOf(Label(I + 1), [&](const ClassCell &X, uint8_t Mask) {
        IsGood &= Mask && !(Mask & Seen) && !X.isUntouched() && hasRecords(X);
        Seen |= Mask;
      });
      if (!IsGood)
        return false;
    }
    for (unsigned G = 0; G < NumGranules; ++G)
      if (Labels[G] == Fine && (!SlotOf || SlotOf[G] >= FineGranules.size()))
        return false;
    return Live == NumLive;
  }

private:
  // Classes.

  struct Part {
    ClassCell X;
    uint8_t Mask = 0;
  };
  /// The history of a granule: parts in order of their first bytes, no two with the same history.
  class State {
  public:
    State() = default;
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    ~State() {
      for (unsigned I = 0; I < Count; ++I)
        (*this)[I].~Part();
    }

    unsigned size() const { return Count; }
    Part &operator[](unsigned I) { return reinterpret_cast<Part *>(Room)[I]; }
    const Part &operator[](unsigned I) const { return reinterpret_cast<const Part *>(Room)[I]; }
    void add(ClassCell X, uint8_t Mask) {
      if (!Mask)
        return;
      for (unsigned I = 0; I < Count; ++I)
        if ((*this)[I].X.sameHistory(X)) {
          (*this)[I].Mask |= Mask;
          return;
        }
      new (&(*this)[Count++]) Part{std::move(X), Mask};
    }
    void sort() {
      for (unsigned I = 1; I < Count; ++I)
        for (unsigned J = I; J && first(J) < first(J - 1); --J)
          std::swap((*this)[J], (*this)[J - 1]);
    }

  private:
    int first(unsigned I) const { return std::countr_zero((*this)[I].Mask); }

    unsigned Count = 0; // of those in Room
    alignas(Part) char Room[Granule::Bytes * sizeof(Part)];
  };
  /// The granules that have one state. The first part is here; few have more.
  struct Class {
    ClassCell X;
    Part *More = nullptr;
    uint32_t Count = 0; // granules
    uint8_t Mask = 0;
    uint8_t NumMore = 0;
    Label NextFree = 0; // while it has none

    Class() = default;
    Class(const Class &) = delete;
    Class(Class &&Other) noexcept { *this = std::move(Other); }
    Class &operator=(Class &&Other) noexcept {
      std::swap(X, Other.X);
      std::swap(More, Other.More);
      std::swap(Count, Other.Count);
      std::swap(Mask, Other.Mask);
      std::swap(NumMore, Other.NumMore);
      std::swap(NextFree, Other.NextFree);
      return *this;
    }
    ~Class() { clear(); }
    void clear() {
      for (unsigned I = 0; I < NumMore; ++I)
        More[I].~Part();
      host::release(More, NumMore * sizeof(Part));
      X = {};
      More = nullptr;
      NumMore = 0;
    }
  };

  Class &classOf(Label L) { return Classes[L - 1u]; }
  const Class &classOf(Label L) const { return Classes[L - 1u]; }

  /// Calls Visit(cell, mask) for the parts of a label's state.
  template <class Fn> void forEachPartOf(Label L, Fn &&Visit) const {
    if (L == Untouched)
      return;
    const Class &C = classOf(L);
    Visit(C.X, C.Mask);
    for (unsigned I = 0; I < C.NumMore; ++I)
      Visit(C.More[I].X, C.More[I].Mask);
  }
  static bool isState(const Class &C, const State &S) {
    if (C.Mask != S[0].Mask || C.NumMore + 1u != S.size() || !C.X.sameHistory(S[0].X))
      return false;
    for (unsigned I = 1; I < S.size(); ++I)
      if (C.More[I - 1].Mask != S[I].Mask || !C.More[I - 1].X.sameHistory(S[I].X))
        return false;
    return true;
  }
  /// The class of a state that is among some; Fine if there is none, and no room for a new one.
  Label labelFor(State &S, CommitCounts &Counts, const Label *Among, unsigned Number) {
    if (!S.size())
      return Untouched;
    for (unsigned I = 0; I < Number; ++I)
      if (classOf(Among[I]).Count && isState(classOf(Among[I]), S)) {
        ++Counts.Merges;
        return Among[I];
      }
    if (NumLive == MaxClasses)
      return Fine;
    ++Counts.Splits;
    ++NumLive;
    if (!FirstFree) {
      Classes.push({});
      FirstFree = Label(Classes.size());
    }
    Label New = FirstFree;
    Class &C = classOf(New);
    FirstFree = C.NextFree;
    C.X = std::move(S[0].X);
    C.Mask = S[0].Mask;
    if (S.size() > 1) {
      C.NumMore = uint8_t(S.size() - 1);
      C.More = static_cast<Part *>(host::allocate(C.NumMore * sizeof(Part)));
      for (unsigned I = 0; I < C.NumMore; ++I)
        new (&C.More[I]) Part(std::move(S[I + 1]));
    }
    return New;
  }
  /// So many granules leave a class.
  void leave(Label L, uint32_t Count) {
    if (L == Untouched)
      return;
    Class &C = classOf(L);
    C.Count -= Count;
    if (C.Count)
      return;
    C.clear();
    --NumLive;
    C.NextFree = FirstFree;
    FirstFree = L;
  }

  template <class Fn> void forEachPart(unsigned Number, Fn &&Visit) const {
    Label L = Labels[Number];
    if (L == Fine)
      return fineGranule(Number).forEach(Visit);
    forEachPartOf(L, [&](const ClassCell &, uint8_t Mask) { Visit(Mask); });
  }

  // Committing.

  struct Race {
    Epoch First;
    AccessKind FirstKind, Kind;
    uint8_t Mask; // of every granule that it is in
  };
  /// What becomes of the granules of a class that had these bytes read and written.
  struct Step {
    Label From, To;
    uint8_t Read, Written;
    uint8_t NewlyRead, NewlyWritten; // have the thread's epoch, and had not
  };
  template <class Fn> struct Commit {
    ThreadState &T;
    const Footprint &F;
    const Window &W;
    Transitions &Memo;
    CommitCounts &Counts;
    Fn &OnRace;
    bool HadRecord[2] = {}, MadeRecord[2] = {}; // of reads and of writes
    static constexpr unsigned MaxSteps = 16;
    Step Steps[MaxSteps];
    unsigned NumSteps = 0;

    Commit(ThreadState &T, const Footprint &F, const Window &W, Transitions &Memo,
           CommitCounts &Counts, Fn &OnRace)
        : T(T), F(F), W(W), Memo(Memo), Counts(Counts), OnRace(OnRace) {}
  };

  /// The granules from First on, as many as there are lanes.
  template <class Fn> void commitLanes(Commit<Fn> &C, unsigned First) {
    unsigned Line = First / LineGranules;
    Lanes Read = Lanes::load(&C.F.allBytes(false)[Line]);
    Lanes Written = Lanes::load(&C.F.allBytes(true)[Line]);
    if (C.W.Count != PageBytes) {
      ByteMask Wanted[Lanes::Count / LineGranules];
      for (ByteMask &Bytes : Wanted)
        Bytes = C.W.bytes(Line++);
      Read = Read & Lanes::load(Wanted);
      Written = Written & Lanes::load(Wanted);
    }
    const Lanes Old = Lanes::load(&Labels[First]);
    Lanes New = Old;
    const Lanes Idle = (Read | Written) == 0;
    for (uint32_t Left = ~Idle.bits(); Left;) {
      auto I = unsigned(std::countr_zero(Left));
      if (Old[I] == Fine) {
        commitFine(C, First + I);
        New = New.with(Labels[First + I], Lanes::only(I));
        Left &= Left - 1;
        continue;
      }
      Lanes Alike = (Old == Old[I]) & (Read == Read[I]) & (Written == Written[I]);
      uint32_t Which = Alike.bits();
      Left &= ~Which;
      Step S = stepFor(C, Old[I], Read[I], Written[I], First);
      if (S.To == Fine) {
        for (; Which; Which &= Which - 1) {
          auto G = unsigned(std::countr_zero(Which));
          makeFine(First + G);
          ++C.Counts.ToFine;
          commitFine(C, First + G);
          New = New.with(Labels[First + G], Lanes::only(G));
        }
        continue;
      }
      if (S.To != S.From) {
        New = New.with(S.To, Alike);
        auto Count = unsigned(std::popcount(Which));
        classOf(S.To).Count += Count;
        leave(S.From, Count);
      }
      addNotes(C, false, S.NewlyRead, First, Which);
      addNotes(C, true, S.NewlyWritten, First, Which);
    }
    New.store(&Labels[First]);
  }

  template <class Fn>
  Step stepFor(Commit<Fn> &C, Label From, uint8_t Read, uint8_t Written, unsigned First) {
    for (unsigned I = 0; I < C.NumSteps; ++I)
      if (const Step &S = C.Steps[I]; S.From == From && S.Read == Read && S.Written == Written)
        return S;
    Step S = {From, Fine, Read, Written, 0, 0};
    State New;
    Array<Race> Races;
    uint8_t Known = 0;
    auto Become = [&](const ClassCell &X, uint8_t Mask, bool IsRead, bool IsWritten) {
      if (!Mask)
        return;
      if (IsRead && !X.mentions(C.T.now(), false))
        S.NewlyRead |= Mask;
      if (IsWritten && !X.mentions(C.T.now(), true))
        S.NewlyWritten |= Mask;
      New.add(next(C, X, IsRead, IsWritten,
                   [&](Epoch E, AccessKind Before, AccessKind Now) {
                     Races.push({E, Before, Now, Mask});
                   }),
              Mask);
    };
    auto Cut = [&](const ClassCell &X, uint8_t Mask) {
      Become(X, Mask & Read & Written, true, true);
      Become(X, Mask & Read & ~Written, true, false);
      Become(X, Mask & Written & ~Read, false, true);
    };
    forEachPartOf(From, [&](const ClassCell &X, uint8_t Mask) {
      Known |= Mask;
      Cut(X, Mask);
      New.add(X, Mask & uint8_t(~(Read | Written)));
    });
    Cut(ClassCell(), uint8_t(~Known));
    New.sort();
    S.To = labelOfStep(C, New, S);
    // Where there is no class, every granule finds its races itself.
    if (S.To != Fine)
      for (const Race &R : Races)
        tell(C, S, R, First);
    if (C.NumSteps < C.MaxSteps)
      C.Steps[C.NumSteps++] = S;
    return S;
  }

  template <class Fn> Label labelOfStep(Commit<Fn> &C, State &New, const Step &S) {
    if (!(S.NewlyRead | S.NewlyWritten))
      return S.From; // nothing is new
    // Another state that mentions the thread's epoch began at that epoch, too.
    if (BegunAt != C.T.now()) {
      BegunAt = C.T.now();
      NumBegun = 0;
    }
    uint64_t Before = C.Counts.Splits;
    Label To = labelFor(New, C.Counts, Begun, NumBegun < MaxBegun ? NumBegun : MaxBegun);
    if (C.Counts.Splits != Before) {
      Begun[NumBegun % MaxBegun] = To;
      NumBegun = uint8_t(NumBegun == 2 * MaxBegun - 1 ? MaxBegun : NumBegun + 1);
    }
    return To;
  }

  /// The cell that bytes with Old have after a read, a write or both.
  template <class Fn, class RaceFn>
  ClassCell next(Commit<Fn> &C, const ClassCell &Old, bool IsRead, bool IsWritten,
                 RaceFn &&OnRace) {
    if (const ClassCell *Known = C.Memo.find(Old, IsRead, IsWritten)) {
      ++C.Counts.SharedTransitions;
      return *Known;
    }
    ClassCell New = Old;
    bool Raced = false;
    auto Tell = [&](AccessKind Kind) {
      return [&, Kind](Epoch First, Note, AccessKind FirstKind) {
        Raced = true;
        OnRace(First, FirstKind, Kind);
      };
    };
    if (IsRead)
      VerifiedFTOwned::read(C.T, New, 0, Tell(AccessKind::Read));
    if (IsWritten)
      VerifiedFTOwned::write(C.T, New, 0, Tell(AccessKind::Write));
    if (!Raced)
      C.Memo.add(Old, New, IsRead, IsWritten);
    return New;
  }

  /// One race for every run of bytes that have both notes in common, in the granules from First on
  /// that take this step: those before it are not of this class, or have had their step.
  template <class Fn>
  __attribute__((noinline)) void tell(Commit<Fn> &C, const Step &S, const Race &R, unsigned First) {
    const Record &Before = recordOf(R.First, isWrite(R.FirstKind));
    uint64_t Start = 0, End = 0; // of the run so far
    Note FirstNote = 0, SecondNote = 0;
    auto Flush = [&] {
      if (End != Start)
        C.OnRace(Start, End - Start, R.First, FirstNote, R.FirstKind, SecondNote, R.Kind);
    };
    for (unsigned G = First; G < NumGranules; ++G) {
      unsigned Line = G / LineGranules, InLine = G % LineGranules;
      ByteMask Wanted = C.W.bytes(Line);
      if (Labels[G] != S.From || granuleOf(C.F.bytes(Line, false) & Wanted, InLine) != S.Read ||
          granuleOf(C.F.bytes(Line, true) & Wanted, InLine) != S.Written)
        continue;
      for (unsigned Byte = 0; Byte < Granule::Bytes; ++Byte) {
        if (!(R.Mask >> Byte & 1))
          continue;
        unsigned ByteInLine = InLine * unsigned(Granule::Bytes) + Byte;
        Note One = Before.noteOf(G, Byte);
        Note Other = C.F.notes(isWrite(R.Kind)).noteOf(Line, ByteInLine);
        uint64_t At = G * Granule::Bytes + Byte;
        if (At != End || One != FirstNote || Other != SecondNote) {
          Flush();
          Start = At;
          FirstNote = One;
          SecondNote = Other;
        }
        End = At + 1;
      }
    }
    Flush();
  }

  // Records.

  using Record = typename PageRecords<Lines>::Record;

  const Record &recordOf(Epoch E, bool IsWrite) const {
    const Record *R = Records.find(E, IsWrite);
    assert(R && "an epoch without a record");
    return *R;
  }
  bool hasRecords(const ClassCell &X) const {
    bool Has = true;
    forEachMention(X, [&](Epoch E, bool IsWrite) { Has &= Records.find(E, IsWrite) != nullptr; });
    return Has;
  }
  /// Calls Visit(epoch, whether of a write) for those that a cell speaks of.
  template <class Fn> static void forEachMention(const ClassCell &X, Fn &&Visit) {
    X.assertOwned();
    if (!X.write().isBottom())
      Visit(X.write(), true);
    if (X.read().isShared())
      X.reads().forEach([&](Epoch E, Note) { Visit(E, false); });
    else if (!X.read().isBottom())
      Visit(X.read(), false);
  }

  /// Granules have bytes that mention the thread's epoch from now on.
  template <class Fn>
  void addNotes(Commit<Fn> &C, bool IsWrite, uint8_t Mask, unsigned First, uint32_t Which) {
    if (!Mask)
      return;
    Record &R = recordOfNow(C, IsWrite);
    if (!C.HadRecord[IsWrite])
      return; // a new one knows all of the footprint
    const auto &From = C.F.notes(IsWrite);
    if (From.isUniform() && From.main() == R.Main && R.isUniform())
      return;
    for (; Which; Which &= Which - 1) {
      unsigned G = First + unsigned(std::countr_zero(Which)), Line = G / LineGranules;
      unsigned Shift = G % LineGranules * Granule::Bytes;
      From.forEachNote(Line, ByteMask(Mask) << Shift,
                       [&](ByteMask Here, Note N) { R.add(G, uint8_t(Here >> Shift), N); });
    }
  }
  template <class Fn> Record &recordOfNow(Commit<Fn> &C, bool IsWrite) {
    if (!C.HadRecord[IsWrite] && !C.MadeRecord[IsWrite]) {
      C.MadeRecord[IsWrite] = true;
      return Records.add(C.T.now(), IsWrite, C.F);
    }
    return *Records.find(C.T.now(), IsWrite);
  }
  void pruneRecords() {
    Records.prune([&](auto &&Visit) {
      for (uint32_t I = 0; I < Classes.size(); ++I)
        if (Classes[I].Count)
          forEachPartOf(Label(I + 1),
                        [&](const ClassCell &X, uint8_t) { forEachMention(X, Visit); });
    });
  }

  // Fine granules.

  Granule &fineGranule(unsigned Number) const { return *FineGranules[SlotOf[Number]]; }

  /// Its own Granule, with the history that it has in its class.
  Granule &makeFine(unsigned Number) {
    if (Labels[Number] == Fine)
      return fineGranule(Number);
    if (!SlotOf)
      SlotOf = static_cast<uint16_t *>(host::allocate(NumGranules * sizeof(uint16_t)));
    auto *G = new (host::allocate(sizeof(Granule))) Granule();
    fill(*G, Number);
    SlotOf[Number] = uint16_t(FineGranules.size());
    FineGranules.push(G);
    leave(Labels[Number], 1);
    Labels[Number] = Fine;
    return *G;
  }
  void fill(Granule &G, unsigned Number) const {
    forEachPartOf(Labels[Number], [&](const ClassCell &Y, uint8_t Mask) {
      bool IsSplit = false;
      forEachMention(
          Y, [&](Epoch E, bool IsWrite) { IsSplit |= recordOf(E, IsWrite).isSplit(Number); });
      while (Mask) {
        uint8_t Alike = IsSplit ? Mask & uint8_t(-Mask) : Mask; // put() joins what is equal
        Cell X;
        describe(Y, Number, unsigned(std::countr_zero(Mask)), X);
        G.put(Alike, X);
        Mask &= uint8_t(~Alike);
      }
    });
  }
  /// The cell of one byte, with its notes.
  void describe(const ClassCell &From, unsigned Number, unsigned Byte, Cell &X) const {
    X.assertOwned();
    From.assertOwned();
    auto NoteOf = [&](Epoch E, bool IsWrite) { return recordOf(E, IsWrite).noteOf(Number, Byte); };
    if (!From.write().isBottom())
      X.setWrite(From.write(), NoteOf(From.write(), true));
    if (From.read().isShared())
      addReads(X, From.reads(), [&](Epoch E, Note) { return NoteOf(E, false); });
    else if (!From.read().isBottom())
      X.setRead(From.read(), NoteOf(From.read(), false));
  }
  /// Gives a cell that nobody has read all the reads of V.
  template <class AnyCell, class Fn>
  static void addReads(AnyCell &X, const AccessClock &V, Fn &&NoteOf) PF_REQUIRES(X) {
    unsigned Count = 0;
    V.forEach([&](Epoch E, Note N) {
      X.assertOwned();
      switch (Count++) {
      case 0:
        return X.setRead(E, NoteOf(E, N));
      case 1:
        return X.share(E, NoteOf(E, N));
      default:
        return X.setSharedRead(E, NoteOf(E, N));
      }
    });
  }

  /// Checks what F has of a fine granule.
  template <class Fn> void commitFine(Commit<Fn> &C, unsigned Number) {
    unsigned Line = Number / LineGranules, Shift = Number % LineGranules * Granule::Bytes;
    Granule &G = fineGranule(Number);
    for (bool IsWrite : {false, true}) {
      AccessKind Kind = IsWrite ? AccessKind::Write : AccessKind::Read;
      C.F.notes(IsWrite).forEachNote(
          Line, C.F.bytes(Line, IsWrite) & C.W.bytes(Line) & bytesOf(Shift, Granule::Bytes),
          [&](ByteMask M, Note N) {
            checkGranule(
                C.T, G, uint8_t(M >> Shift), Kind, [&] { return N; },
                [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
                  forEachRun(Raced, [&](unsigned Start, unsigned Count) {
                    C.OnRace(Number * Granule::Bytes + Start, Count, First, FirstNote, FirstKind, N,
                             Kind);
                  });
                });
          });
    }
    returnToClass(C, Number);
  }

  /// Back to a class, if atomics have not touched it, and there is room, not just for one: another
  /// would have to leave at once.
  template <class Fn> void returnToClass(Commit<Fn> &C, unsigned Number) {
    if (NumLive > MaxClasses / 2)
      return;
    Granule &G = fineGranule(Number);
    bool HasAtomics = false;
    G.forEachCell(
        [&](uint8_t, const Cell &, const AtomicHistory *A) { HasAtomics |= A != nullptr; });
    if (HasAtomics)
      return;
    State S;
    G.forEachCell([&](uint8_t Mask, const Cell &X, const AtomicHistory *) {
      X.assertOwned();
      ClassCell Y;
      Y.assertOwned();
      Y.setWrite(X.write(), 0);
      auto AddNote = [&](Epoch E, bool IsWrite, Note N) {
        Record *R = E == C.T.now() ? &recordOfNow(C, IsWrite) : Records.find(E, IsWrite);
        if (!R)
          R = &Records.add(E, IsWrite, N);
        R->add(Number, Mask, N);
      };
      if (!X.write().isBottom())
        AddNote(X.write(), true, X.writeNote());
      if (X.read().isShared()) {
        addReads(Y, X.reads(), [](Epoch, Note) { return Note(0); });
        X.reads().forEach([&](Epoch E, Note N) { AddNote(E, false, N); });
      } else if (!X.read().isBottom()) {
        Y.setRead(X.read(), 0);
        AddNote(X.read(), false, X.readNote());
      }
      S.add(std::move(Y), Mask);
    });
    S.sort();
    Label L = labelFor(S, C.Counts, Begun, 0);
    ++C.Counts.ToClasses;
    dropFine(Number);
    Labels[Number] = L;
    if (L != Untouched)
      ++classOf(L).Count;
  }

  void dropFine(unsigned Number) {
    uint16_t Slot = SlotOf[Number];
    deleteGranule(FineGranules[Slot]);
    FineGranules.removeUnordered(Slot);
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

  void resetGranule(unsigned Number, uint8_t Mask) {
    Label Old = Labels[Number];
    if (Old == Untouched)
      return;
    if (Old == Fine) {
      Granule &G = fineGranule(Number);
      G.forget(Mask);
      if (G.isUntouched()) {
        dropFine(Number);
        Labels[Number] = Untouched;
      }
      return;
    }
    State S;
    if (Mask != 0xff)
      forEachPartOf(Old,
                    [&](const ClassCell &X, uint8_t Known) { S.add(X, Known & uint8_t(~Mask)); });
    S.sort();
    CommitCounts Ignored;
    Label New = labelFor(S, Ignored, nullptr, 0);
    if (New == Fine) {
      makeFine(Number).forget(Mask);
      return;
    }
    Labels[Number] = New;
    if (New != Untouched)
      ++classOf(New).Count;
    leave(Old, 1);
  }

  static constexpr unsigned MaxBegun = 16;

  Label Labels[NumGranules] = {};
  Array<Class> Classes; // that of label I + 1; those without granules are free
  PageRecords<Lines> Records;
  Array<Granule *> FineGranules;
  uint16_t *SlotOf = nullptr; // by granule, in FineGranules; for those labelled so
  uint32_t NumLive = 0;
  Label FirstFree = 0; // class without granules
  uint8_t NumBegun = 0;
  Label Begun[MaxBegun] = {}; // classes that began at BegunAt; if there were more, the last ones
  Epoch BegunAt;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_CLASS_PAGE_H
