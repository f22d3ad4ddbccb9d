//===- class_page.h - A page's partition --------------------------------------===//
//
// SlimState with bit sets for both footprints and partitions (slimstate.txt, last column of
// Table II). A page's shadow is a list of classes, each a set of bytes and the cell that they
// share. COARSE, SPLIT, BLOCK, STRIDE and PREFIX are just particular lists.
//
// Committing a footprint is set algebra: every class it meets is cut into what was read, what was
// written, what was both, and the rest; the rules are applied once for each, not once for each
// byte; and classes that have ended up with the same history become one again. So the list grows
// when threads part ways on a page and shrinks when they come together.
//
// Where accesses came from, for reports, is not part of the history: two sites that sweep one
// array together would tear its classes apart. It is kept beside the classes, by epoch: a Record
// says where the bytes that were read, or written, at that epoch were accessed from. A record goes
// when no class mentions its epoch any more.
//
// A page whose classes become too many is FINE: a granule (shadow/granule.h) for every eight bytes.
// When few histories are left it returns to classes. Granules that atomics touch are FINE one by
// one, in pages of either form, because they have a history of atomics, too.
//
// Invariants (verify):
//   classes are disjoint and not empty, and no two have the same history;
//   a byte is in a class or in a granule, not in both; bytes in neither are untouched;
//   every epoch that a class mentions has a record.
//
// All of it belongs to whoever holds the page's lock.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_CLASS_PAGE_H
#define PHOTOFINISH_SHADOW_CLASS_PAGE_H

#include "detector/verifiedft.h"
#include "shadow/class_cell.h"
#include "shadow/footprint.h"
#include "shadow/granule.h"

namespace photofinish {

struct CommitCounts {
  uint64_t Commits = 0;           ///< footprints of pages
  uint64_t Splits = 0;            ///< classes cut because they were covered in part
  uint64_t Merges = 0;            ///< classes that joined one with the same history
  uint64_t SharedTransitions = 0; ///< cells that became what an equal one had become
  uint64_t Refined = 0;           ///< pages that went from granules to bytes
  uint64_t ToFine = 0;            ///< pages that outgrew classes
  uint64_t ToClasses = 0;         ///< and that came back
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

/// A page of Lines lines with at most MaxClasses classes and, beside them, MaxGranules granules.
template <unsigned Lines, uint32_t MaxClasses = 16, uint32_t MaxGranules = 32> class ClassPage {
public:
  static constexpr uint64_t PageBytes = Lines * LineBytes;
  using Footprint = PageFootprint<Lines>;

  ClassPage() = default;
  ClassPage(const ClassPage &) = delete;
  ClassPage &operator=(const ClassPage &) = delete;
  ~ClassPage() {
    dropAll();
    dropSome();
  }

  /// T has made the accesses of F since its clock last changed. OnRace(offset, bytes, first epoch,
  /// its Note and AccessKind, second Note and AccessKind) is told of every race.
  template <class Fn>
  void commit(ThreadState &T, const Footprint &F, Transitions &Memo, CommitCounts &Counts,
              Fn &&OnRace) {
    ++Counts.Commits;
    if (All) {
      for (auto Left = F.touched(); Left; Left &= Left - 1) {
        auto L = unsigned(std::countr_zero(Left));
        checkGranules(T, F, L, 0xff, OnRace);
      }
      SinceLook += uint32_t(std::popcount(F.touched()));
      if (SinceLook >= Lines)
        returnToClasses(Counts);
      return;
    }
    if (!IsByBytes && !fitsGranules(F)) {
      refine();
      ++Counts.Refined;
    }
    if (IsByBytes)
      commitTo(ByBytes, T, F, Memo, Counts, OnRace);
    else
      commitTo(Coarse, T, F, Memo, Counts, OnRace);
    if (numClasses() > MaxClasses)
      becomeFine(Counts);
  }

  /// An atomic access to the bytes of Mask of one granule, at an offset. OnRace(mask, first epoch,
  /// Note, AccessKind).
  template <class NoteFn, class Fn>
  void accessAtomically(ThreadState &T, uint64_t Offset, uint8_t Mask, AccessKind Kind,
                        CommitCounts &Counts, NoteFn &&MakeNote, Fn &&OnRace) {
    checkGranule(T, fineGranule(unsigned(Offset / Granule::Bytes), Counts), Mask, Kind, MakeNote,
                 OnRace);
  }

  /// The bytes are fresh memory.
  void reset(uint64_t First, uint64_t Count) {
    while (Count) {
      auto InLine = unsigned(First % LineBytes);
      auto Here = unsigned(Count < LineBytes - InLine ? Count : LineBytes - InLine);
      resetLine(unsigned(First / LineBytes), bytesOf(InLine, Here));
      First += Here;
      Count -= Here;
    }
    removeEmpty(Coarse);
    removeEmpty(ByBytes);
    pruneRecords();
  }

  /// The bytes of a line that have been accessed.
  ByteMask touched(unsigned Line) const {
    ByteMask Touched = 0;
    forEachClass([&](const auto &C) { Touched |= C.Set.bytes(Line); });
    forEachGranule([&](unsigned Number, const Granule &G) {
      if (Number / PerLine == Line)
        G.forEach(
            [&](uint8_t Mask) { Touched |= ByteMask(Mask) << Number % PerLine * Granule::Bytes; });
    });
    return Touched;
  }
  /// The bytes of a location: of a granule, or one.
  uint32_t grain() const { return IsByBytes ? 1 : Granule::Bytes; }
  uint32_t numCells() const {
    uint32_t Count = numClasses();
    forEachGranule([&](unsigned, const Granule &G) { G.forEach([&](uint8_t) { ++Count; }); });
    return Count;
  }
  uint32_t numClasses() const { return Coarse.size() + ByBytes.size(); }
  /// At most so many cells: a granule counts as one.
  uint32_t roomForCells() const {
    return numClasses() + (All ? NumGranules : Some ? Some->Granules.size() : 0);
  }
  uint32_t numRecords() const { return Records.size(); }

  /// Do the invariants hold?
  bool verify() const {
    return verifyList(Coarse) && verifyList(ByBytes) &&
           (IsByBytes ? Coarse.empty() : ByBytes.empty()) &&
           !(All && (numClasses() || Some || !Records.empty()));
  }

private:
  template <class Word> struct Class {
    ClassCell X;
    LineSet<Word, Lines> Set;
  };
  template <class Word> using List = Array<Class<Word>>;

  /// Where the bytes that were read, or written, at E were accessed from.
  struct Record {
    struct Other {
      ByteMask Bytes;
      Note N;
      uint8_t Line;
    };
    Epoch E;
    Note Main;
    bool IsWrite;
    Array<Other> Others;

    Note noteOf(unsigned Line, unsigned Byte) const {
      Note N = Main;
      forEachNote(Line, ByteMask(1) << Byte, [&](ByteMask, Note Found) { N = Found; });
      return N;
    }
    /// The bytes may be accessed again at E, from elsewhere.
    void forget(unsigned Line, ByteMask Bytes) {
      for (uint32_t I = 0; I < Others.size();) {
        if (Others[I].Line == Line)
          Others[I].Bytes &= ~Bytes;
        if (Others[I].Bytes)
          ++I;
        else
          Others.removeUnordered(I);
      }
    }
    /// As PageFootprint's, for bytes that were accessed at E.
    template <class Fn> void forEachNote(unsigned Line, ByteMask Bytes, Fn &&Visit) const {
      for (const Other &O : Others)
        if (ByteMask Here = O.Bytes & Bytes; Here && O.Line == Line) {
          Visit(Here, O.N);
          Bytes &= ~Here;
        }
      if (Bytes)
        Visit(Bytes, Main);
    }
  };

  /// The granules of a page that is not FINE as a whole.
  struct FineGranules {
    struct One {
      unsigned Number;
      Granule *G;
    };
    uint8_t Of[Lines] = {}; // which of a line's granules are here
    Array<One> Granules;
  };

  static constexpr unsigned NumGranules = PageBytes / Granule::Bytes;
  static constexpr unsigned PerLine = LineBytes / Granule::Bytes;

  template <class Fn> void forEachClass(Fn &&Visit) const {
    for (const Class<uint8_t> &C : Coarse)
      Visit(C);
    for (const Class<uint64_t> &C : ByBytes)
      Visit(C);
  }
  template <class Fn> void forEachGranule(Fn &&Visit) const {
    for (unsigned I = 0; All && I < NumGranules; ++I)
      Visit(I, All[I]);
    if (Some)
      for (const auto &One : Some->Granules)
        Visit(One.Number, *One.G);
  }

  // Committing to classes.

  bool fitsGranules(const Footprint &F) const {
    for (auto Left = F.touched(); Left; Left &= Left - 1) {
      auto L = unsigned(std::countr_zero(Left));
      ByteMask Fine = fineBytes(L);
      if (!Grain<uint8_t>::canHold(F.bytes(L, false) & ~Fine) ||
          !Grain<uint8_t>::canHold(F.bytes(L, true) & ~Fine))
        return false;
    }
    return true;
  }

  /// The pieces of a class, or of what nobody had touched.
  template <class Word> struct Pieces {
    LineSet<Word, Lines> Both, Read, Written;
  };

  template <class Word, class Fn>
  void commitTo(List<Word> &Classes, ThreadState &T, const Footprint &F, Transitions &Memo,
                CommitCounts &Counts, Fn &&OnRace) {
    LineSet<Word, Lines> Read, Written;
    for (auto Left = F.touched(); Left; Left &= Left - 1) {
      auto L = unsigned(std::countr_zero(Left));
      ByteMask Fine = fineBytes(L);
      if (Fine)
        checkGranules(T, F, L, Some->Of[L], OnRace);
      Read.Of[L] = Grain<Word>::wordOf(F.bytes(L, false) & ~Fine);
      Written.Of[L] = Grain<Word>::wordOf(F.bytes(L, true) & ~Fine);
    }
    // Bytes that have the thread's epoch from now on, and had not.
    LineSet<Word, Lines> NewlyRead, NewlyWritten;
    auto Become = [&](const LineSet<Word, Lines> &Set, const ClassCell &Old, bool IsRead,
                      bool IsWritten) {
      if (IsRead && !Old.mentions(T.now(), false))
        NewlyRead |= Set;
      if (IsWritten && !Old.mentions(T.now(), true))
        NewlyWritten |= Set;
      return next(T, Old, IsRead, IsWritten, Set, F, Memo, Counts, OnRace);
    };
    auto Cut = [&](const LineSet<Word, Lines> &Set, const ClassCell &Old, bool IsRead,
                   bool IsWritten) {
      if (!Set.isEmpty())
        Classes.push({Become(Set, Old, IsRead, IsWritten), Set});
    };
    Pieces<Word> P;
    const uint32_t Before = Classes.size();
    for (uint32_t I = 0; I < Before; ++I) {
      // Most often a few lines of many classes: the others are not looked at.
      Word Touched = 0;
      for (auto Left = F.touched(); Left; Left &= Left - 1) {
        auto L = unsigned(std::countr_zero(Left));
        Touched |= Classes[I].Set.Of[L] & (Read.Of[L] | Written.Of[L]);
      }
      if (!Touched)
        continue;
      LineSet<Word, Lines> Rest;
      for (unsigned L = 0; L < Lines; ++L) {
        Word Set = Classes[I].Set.Of[L];
        Word R = Set & Read.Of[L], W = Set & Written.Of[L];
        P.Both.Of[L] = R & W;
        P.Read.Of[L] = R & Word(~W);
        P.Written.Of[L] = W & Word(~R);
        Rest.Of[L] = Set & Word(~(R | W));
      }
      Read -= Classes[I].Set;
      Written -= Classes[I].Set;
      bool HasBoth = !P.Both.isEmpty(), HasRead = !P.Read.isEmpty(),
           HasWritten = !P.Written.isEmpty();
      if (Rest.isEmpty() && HasBoth + HasRead + HasWritten == 1) { // the whole class alike
        Classes[I].X = Become(Classes[I].Set, Classes[I].X, !HasWritten, !HasRead);
        continue;
      }
      ++Counts.Splits;
      ClassCell Old = Classes[I].X; // cutting moves the classes
      Cut(P.Both, Old, true, true);
      Cut(P.Read, Old, true, false);
      Cut(P.Written, Old, false, true);
      Classes[I].Set = Rest;
    }
    // What is left of the footprint was untouched.
    for (unsigned L = 0; L < Lines; ++L) {
      P.Both.Of[L] = Read.Of[L] & Written.Of[L];
      P.Read.Of[L] = Read.Of[L] & Word(~Written.Of[L]);
      P.Written.Of[L] = Written.Of[L] & Word(~Read.Of[L]);
    }
    Cut(P.Both, {}, true, true);
    Cut(P.Read, {}, true, false);
    Cut(P.Written, {}, false, true);
    removeEmpty(Classes);
    merge(Classes, Counts);
    pruneRecords();
    addRecord(T.now(), false, NewlyRead, F);
    addRecord(T.now(), true, NewlyWritten, F);
  }

  /// The cell that bytes with Old have after a read, a write or both.
  template <class Word, class Fn>
  ClassCell next(ThreadState &T, const ClassCell &Old, bool IsRead, bool IsWritten,
                 const LineSet<Word, Lines> &Set, const Footprint &F, Transitions &Memo,
                 CommitCounts &Counts, Fn &&OnRace) {
    if (const ClassCell *Known = Memo.find(Old, IsRead, IsWritten)) {
      ++Counts.SharedTransitions;
      return *Known;
    }
    ClassCell New = Old;
    bool Raced = false;
    auto Tell = [&](AccessKind Kind) {
      return [&, Kind](Epoch First, Note, AccessKind FirstKind) {
        Raced = true;
        tellBytes(Set, First, FirstKind, F, Kind, OnRace);
      };
    };
    if (IsRead)
      VerifiedFTOwned::read(T, New, 0, Tell(AccessKind::Read));
    if (IsWritten)
      VerifiedFTOwned::write(T, New, 0, Tell(AccessKind::Write));
    if (!Raced)
      Memo.add(Old, New, IsRead, IsWritten);
    return New;
  }

  /// One race for every run of bytes that have both notes in common.
  template <class Word, class Fn>
  void tellBytes(const LineSet<Word, Lines> &Set, Epoch First, AccessKind FirstKind,
                 const Footprint &F, AccessKind Kind, Fn &&OnRace) const {
    const Record *R = findRecord(First, isWrite(FirstKind));
    assert(R && "an epoch without a record");
    uint64_t Start = 0, End = 0; // of the run so far
    Note FirstNote = 0, SecondNote = 0;
    auto Flush = [&] {
      if (End != Start)
        OnRace(Start, End - Start, First, FirstNote, FirstKind, SecondNote, Kind);
    };
    Set.forEachLine([&](unsigned L, ByteMask Left) {
      Note Firsts[LineBytes], Seconds[LineBytes];
      auto Fill = [](Note *Notes) {
        return [Notes](ByteMask Here, Note N) {
          for (; Here; Here &= Here - 1)
            Notes[std::countr_zero(Here)] = N;
        };
      };
      R->forEachNote(L, Left, Fill(Firsts));
      F.forEachNote(L, Left, isWrite(Kind), Fill(Seconds));
      for (; Left; Left &= Left - 1) {
        auto Byte = unsigned(std::countr_zero(Left));
        uint64_t At = L * LineBytes + Byte;
        if (At != End || Firsts[Byte] != FirstNote || Seconds[Byte] != SecondNote) {
          Flush();
          Start = At;
          FirstNote = Firsts[Byte];
          SecondNote = Seconds[Byte];
        }
        End = At + 1;
      }
    });
    Flush();
  }

  template <class Word> static void removeEmpty(List<Word> &Classes) {
    for (uint32_t I = 0; I < Classes.size();)
      if (Classes[I].Set.isEmpty())
        Classes.removeUnordered(I);
      else
        ++I;
  }
  template <class Word> static void merge(List<Word> &Classes, CommitCounts &Counts) {
    for (uint32_t I = 1; I < Classes.size();) {
      uint32_t J = 0;
      while (J < I && !Classes[J].X.sameHistory(Classes[I].X))
        ++J;
      if (J == I) {
        ++I;
        continue;
      }
      Classes[J].Set |= Classes[I].Set;
      Classes.removeUnordered(I);
      ++Counts.Merges;
    }
  }

  void refine() {
    for (Class<uint8_t> &C : Coarse) {
      Class<uint64_t> &Fine = ByBytes.push({std::move(C.X), {}});
      C.Set.forEachLine([&](unsigned L, ByteMask M) { Fine.Set.Of[L] = M; });
    }
    Coarse.clear();
    IsByBytes = true;
  }

  // Records.

  const Record *findRecord(Epoch E, bool IsWrite) const {
    for (const Record &R : Records)
      if (R.E == E && R.IsWrite == IsWrite)
        return &R;
    return nullptr;
  }

  template <class Word>
  void addRecord(Epoch Now, bool IsWrite, const LineSet<Word, Lines> &New, const Footprint &F) {
    if (New.isEmpty())
      return;
    if (auto *Known = const_cast<Record *>(findRecord(Now, IsWrite))) {
      New.forEachLine([&](unsigned L, ByteMask M) {
        Known->forget(L, M); // somebody else may have accessed them since
        F.forEachNote(L, M, IsWrite, [&](ByteMask Here, Note N) {
          if (N != Known->Main)
            Known->Others.push({Here, N, uint8_t(L)});
        });
      });
      return;
    }
    Record &R = Records.push({Now, F.mainNote(IsWrite), IsWrite, {}});
    F.forEachOther(IsWrite, [&](unsigned L, ByteMask M, Note N) {
      if (M &= New.bytes(L))
        R.Others.push({M, N, uint8_t(L)});
    });
  }

  void pruneRecords() {
    for (uint32_t I = 0; I < Records.size();) {
      bool IsMentioned = false;
      forEachClass(
          [&](const auto &C) { IsMentioned |= C.X.mentions(Records[I].E, Records[I].IsWrite); });
      if (IsMentioned)
        ++I;
      else
        Records.removeUnordered(I);
    }
  }

  // Granules.

  ByteMask fineBytes(unsigned Line) const {
    return Some ? Grain<uint8_t>::bytesOf(Some->Of[Line]) : 0;
  }

  /// Checks what F has of those granules of a line that are in Which.
  template <class Fn>
  void checkGranules(ThreadState &T, const Footprint &F, unsigned Line, uint8_t Which,
                     Fn &&OnRace) {
    for (bool IsWrite : {false, true})
      for (unsigned I = 0; I < PerLine; ++I) {
        auto Mask = uint8_t(F.bytes(Line, IsWrite) >> I * Granule::Bytes);
        if (!Mask || !(Which >> I & 1))
          continue;
        unsigned Number = Line * PerLine + I;
        AccessKind Kind = IsWrite ? AccessKind::Write : AccessKind::Read;
        F.forEachNote(Line, ByteMask(Mask) << I * Granule::Bytes, IsWrite, [&](ByteMask M, Note N) {
          checkGranule(
              T, granule(Number), uint8_t(M >> I * Granule::Bytes), Kind, [&] { return N; },
              [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
                forEachRun(Raced, [&](unsigned Start, unsigned Count) {
                  OnRace(Number * Granule::Bytes + Start, Count, First, FirstNote, FirstKind, N,
                         Kind);
                });
              });
        });
      }
  }

  Granule &granule(unsigned Number) {
    if (All)
      return All[Number];
    for (const auto &One : Some->Granules)
      if (One.Number == Number)
        return *One.G;
    __builtin_unreachable();
  }

  /// The granule, taken out of the classes if need be.
  Granule &fineGranule(unsigned Number, CommitCounts &Counts) {
    unsigned Line = Number / PerLine, I = Number % PerLine;
    if (!All && !(Some && Some->Of[Line] >> I & 1)) {
      if (!Some)
        Some = new (host::allocate(sizeof(FineGranules))) FineGranules();
      if (Some->Granules.size() == MaxGranules) {
        becomeFine(Counts);
      } else {
        auto *G = new (host::allocate(sizeof(Granule))) Granule();
        fill(*G, Number);
        Some->Granules.push({Number, G});
        Some->Of[Line] |= uint8_t(1u << I);
        ByteMask Bytes = bytesOf(I * Granule::Bytes, Granule::Bytes);
        clearIn(Coarse, Line, Bytes);
        clearIn(ByBytes, Line, Bytes);
        removeEmpty(Coarse);
        removeEmpty(ByBytes);
        pruneRecords();
      }
    }
    return granule(Number);
  }

  /// Gives an untouched granule the histories of its bytes in classes.
  void fill(Granule &G, unsigned Number) const {
    unsigned Line = Number / PerLine, Shift = Number % PerLine * Granule::Bytes;
    // Bytes of one class differ in their notes at most, where some record has others.
    bool MayDiffer = false;
    for (const Record &R : Records)
      R.forEachNote(Line, ByteMask(0xff) << Shift,
                    [&](ByteMask M, Note) { MayDiffer |= M != ByteMask(0xff) << Shift; });
    forEachClass([&](const auto &C) {
      for (auto Mask = uint8_t(C.Set.bytes(Line) >> Shift); Mask;) {
        uint8_t Alike = MayDiffer ? Mask & uint8_t(-Mask) : Mask; // put() joins what is equal
        Cell X;
        describe(C.X, Line, Shift + unsigned(std::countr_zero(Mask)), X);
        G.put(Alike, X);
        Mask &= uint8_t(~Alike);
      }
    });
  }

  /// The cell of one byte, with its notes.
  void describe(const ClassCell &From, unsigned Line, unsigned Byte, Cell &X) const {
    X.assertOwned();
    From.assertOwned();
    auto NoteOf = [&](Epoch E, bool IsWrite) {
      const Record *R = findRecord(E, IsWrite);
      return R ? R->noteOf(Line, Byte) : 0;
    };
    if (!From.write().isBottom())
      X.setWrite(From.write(), NoteOf(From.write(), true));
    if (!From.read().isShared()) {
      if (!From.read().isBottom())
        X.setRead(From.read(), NoteOf(From.read(), false));
      return;
    }
    unsigned Count = 0;
    From.reads().forEach([&](Epoch E, Note) {
      X.assertOwned();
      Note N = NoteOf(E, false);
      if (Count == 0)
        X.setRead(E, N);
      else if (Count == 1)
        X.share(E, N);
      else
        X.setSharedRead(E, N);
      ++Count;
    });
  }

  void becomeFine(CommitCounts &Counts) {
    ++Counts.ToFine;
    auto *New = static_cast<Granule *>(host::allocate(NumGranules * sizeof(Granule)));
    for (unsigned I = 0; I < NumGranules; ++I)
      fill(*new (&New[I]) Granule(), I);
    if (Some)
      for (auto &One : Some->Granules)
        New[One.Number].takeFrom(*One.G);
    dropSome();
    Coarse.clear();
    ByBytes.clear();
    Records.clear();
    IsByBytes = false;
    All = New;
    SinceLook = 0;
  }

  /// To classes, if few histories are left: a page that came back with MaxClasses would leave again
  /// at once.
  void returnToClasses(CommitCounts &Counts) {
    SinceLook = 0;
    ClassPage New;
    if (!New.takeFrom(*this))
      return;
    ++Counts.ToClasses;
    dropAll();
    Coarse.swap(New.Coarse);
    ByBytes.swap(New.ByBytes);
    Records.swap(New.Records);
    std::swap(Some, New.Some);
    IsByBytes = New.IsByBytes;
  }

  /// Becomes what the FINE page From is, in classes; false if that would be too many.
  bool takeFrom(ClassPage &From) {
    constexpr uint32_t MaxOthers = 64; // of a record
    IsByBytes = true;
    for (unsigned I = 0; I < NumGranules; ++I) {
      unsigned Line = I / PerLine, Shift = I % PerLine * Granule::Bytes;
      bool HasAtomics = false, IsFull = false;
      From.All[I].forEachCell(
          [&](uint8_t, const Cell &, const AtomicHistory *A) { HasAtomics |= A != nullptr; });
      if (HasAtomics) {
        if (!Some)
          Some = new (host::allocate(sizeof(FineGranules))) FineGranules();
        if (Some->Granules.size() == MaxGranules / 2)
          return false;
        Some->Granules.push({I, nullptr});
        continue;
      }
      From.All[I].forEachCell([&](uint8_t Mask, const Cell &X, const AtomicHistory *) {
        ByteMask M = ByteMask(Mask) << Shift;
        X.assertOwned();
        classFor(X).Set.Of[Line] |= M;
        auto Note1 = [&](Epoch E, Note N, bool IsWrite) {
          IsFull |= noteBytes(E, IsWrite, Line, M, N) > MaxOthers;
        };
        if (!X.write().isBottom())
          Note1(X.write(), X.writeNote(), true);
        if (X.read().isShared())
          X.reads().forEach([&](Epoch E, Note N) { Note1(E, N, false); });
        else if (!X.read().isBottom())
          Note1(X.read(), X.readNote(), false);
      });
      if (IsFull || ByBytes.size() > MaxClasses / 2)
        return false;
    }
    // Nothing can fail from here on: granules with atomics change hands.
    if (Some)
      for (auto &One : Some->Granules) {
        One.G = new (host::allocate(sizeof(Granule))) Granule();
        One.G->takeFrom(From.All[One.Number]);
        Some->Of[One.Number / PerLine] |= uint8_t(1u << One.Number % PerLine);
      }
    coarsen();
    return true;
  }

  Class<uint64_t> &classFor(const Cell &X) PF_REQUIRES(X) {
    ClassCell Y;
    Y.assertOwned();
    Y.setWrite(X.write(), 0);
    if (X.read().isShared()) {
      unsigned Count = 0;
      X.reads().forEach([&](Epoch E, Note) {
        Y.assertOwned();
        if (Count == 0)
          Y.setRead(E, 0);
        else if (Count == 1)
          Y.share(E, 0);
        else
          Y.setSharedRead(E, 0);
        ++Count;
      });
    } else {
      Y.setRead(X.read(), 0);
    }
    for (Class<uint64_t> &C : ByBytes)
      if (C.X.sameHistory(Y))
        return C;
    return ByBytes.push({std::move(Y), {}});
  }
  /// How many others the record has then.
  uint32_t noteBytes(Epoch E, bool IsWrite, unsigned Line, ByteMask M, Note N) {
    auto *R = const_cast<Record *>(findRecord(E, IsWrite));
    if (!R)
      R = &Records.push({E, N, IsWrite, {}});
    if (R->Main == N)
      return R->Others.size();
    if (!R->Others.empty() && R->Others.back().Line == Line && R->Others.back().N == N)
      R->Others.back().Bytes |= M;
    else
      R->Others.push({M, N, uint8_t(Line)});
    return R->Others.size();
  }
  /// Back to granules, if every class has whole ones.
  void coarsen() {
    for (const Class<uint64_t> &C : ByBytes)
      for (ByteMask M : C.Set.Of)
        if (!Grain<uint8_t>::canHold(M))
          return;
    for (Class<uint64_t> &C : ByBytes) {
      Class<uint8_t> &New = Coarse.push({std::move(C.X), {}});
      for (unsigned L = 0; L < Lines; ++L)
        New.Set.Of[L] = Grain<uint8_t>::wordOf(C.Set.Of[L]);
    }
    ByBytes.clear();
    IsByBytes = false;
  }

  // Fresh memory.

  void resetLine(unsigned Line, ByteMask M) {
    for (unsigned I = 0; I < PerLine; ++I)
      if (auto Mask = uint8_t(M >> I * Granule::Bytes))
        if (All || (Some && Some->Of[Line] >> I & 1))
          granule(Line * PerLine + I).forget(Mask);
    if (All)
      return;
    if (!IsByBytes && !Grain<uint8_t>::canHold(M))
      refine();
    clearIn(Coarse, Line, M);
    clearIn(ByBytes, Line, M);
    for (Record &R : Records)
      R.forget(Line, M);
  }
  template <class Word> static void clearIn(List<Word> &Classes, unsigned Line, ByteMask M) {
    for (Class<Word> &C : Classes)
      C.Set.Of[Line] &= Word(~Grain<Word>::wordOf(M));
  }

  void dropAll() {
    for (unsigned I = 0; All && I < NumGranules; ++I)
      All[I].~Granule();
    host::release(All, NumGranules * sizeof(Granule));
    All = nullptr;
  }
  void dropSome() {
    if (!Some)
      return;
    for (auto &One : Some->Granules)
      if (One.G) {
        One.G->~Granule();
        host::release(One.G, sizeof(Granule));
      }
    Some->~FineGranules();
    host::release(Some, sizeof(FineGranules));
    Some = nullptr;
  }

  template <class Word> bool verifyList(const List<Word> &Classes) const {
    for (uint32_t I = 0; I < Classes.size(); ++I) {
      const Class<Word> &C = Classes[I];
      if (C.Set.isEmpty() || C.X.isUntouched())
        return false;
      for (unsigned L = 0; L < Lines; ++L)
        if (C.Set.bytes(L) & fineBytes(L))
          return false;
      for (uint32_t J = 0; J < I; ++J)
        if (C.Set.meets(Classes[J].Set) || C.X.sameHistory(Classes[J].X))
          return false;
      bool HasRecords = C.X.write().isBottom() || findRecord(C.X.write(), true);
      C.X.assertOwned();
      if (C.X.read().isShared())
        C.X.reads().forEach([&](Epoch E, Note) { HasRecords &= bool(findRecord(E, false)); });
      else
        HasRecords &= C.X.read().isBottom() || findRecord(C.X.read(), false);
      if (!HasRecords)
        return false;
    }
    return true;
  }

  List<uint8_t> Coarse;   // classes of whole granules, unless
  List<uint64_t> ByBytes; // some class has parts of one: then all classes are here
  Array<Record> Records;
  FineGranules *Some = nullptr;
  Granule *All = nullptr; // NumGranules of them, if the page is FINE
  uint32_t SinceLook = 0; // lines committed since returnToClasses last tried
  bool IsByBytes = false;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_CLASS_PAGE_H
