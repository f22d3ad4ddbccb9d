//===- granule.h - Eight bytes of memory, as a word ---------------------===//
//
// The unit of a race is the byte, but a cell per byte would be eight times the memory and
// the work for the same answer: bytes that are always accessed together have the same
// history. So the eight bytes of a granule are partitioned by history: each *part* is a set
// of bytes, as a mask, and their history, which is two stamps (shadow/stamps.h): one word.
//
//    63           36 35            8 7       0
//   +---------------+---------------+---------+
//   | reads         | last write    | mask    |   one part: its bytes, and they alone were touched
//   +---------------+---------------+---------+
//   | number of a record            | 0       |   several parts, or what atomics did
//   +-------------------------------+---------+
//
//   int Pair[2], written by two threads:   record: 0x0f W = 1@5, 0xf0 W = 2@3
//   then by one thread in one epoch:       0xff W = 1@7
//
// An access to some of a part's bytes splits it; parts whose histories have become equal are merged
// again. Both lose nothing: a byte's history is the same before and after. Bytes that nobody has
// touched belong to no part.
//
// A write forgets the reads that are ordered before it, as FastTrack's does: whoever races with
// such a read, later than both, races with the write. Likewise a read in an epoch in which its
// thread has written the bytes is not remembered.
//
// What atomics have done is beside it: sets of the last atomic reads and writes, without those that
// others dominate.
//
// A record never changes (shadow/records.h). So a granule *is* its word, what an access makes of it
// is a function from words to words (Granule::accessed), and there are two ways to apply it:
//
//   whoever owns the granule     store(accessed(load()))
//   everybody else               a loop around a compare-and-exchange; there is no lock
//
// The same-epoch tests are a load and a few comparisons. A page that is to become something else
// freezes its words one by one: whoever finds one frozen looks for the page again.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_GRANULE_H
#define PHOTOFINISH_SHADOW_GRANULE_H

#include "detector/atomic_access.h"
#include "shadow/line.h"
#include "shadow/stamps.h"

#include <atomic>
#include <cstdint>

namespace photofinish {

/// A part's history while the rules are at it: a Cell (detector/cell.h) whose notes are stamps.
class PF_CAPABILITY("cell") StampedCell {
public:
  /// V is the clock of whoever accesses it.
  StampedCell(Stamper &By, const Clock &V, Stamp Write = 0, Reads Read = 0)
      : By(By), V(V), Write(Write), Read(Read) {}

  Epoch write() const { return all().epochOf(Write); }
  Epoch read() const { return Stamps::isShared(Read) ? Epoch::shared() : all().epochOf(Read); }
  bool isReadShared() const { return Stamps::isShared(Read); }
  bool isReadAt(Epoch Now) const { return !isReadShared() && all().isAt(Read, Now); }
  bool isWrittenAt(Epoch Now) const { return all().isAt(Write, Now); }
  bool isWriteBefore(const Clock &Other) const { return all().isBefore(Write, Other); }
  bool isReadBefore(const Clock &Other) const { return all().isBefore(Read, Other); }
  uint64_t lastReadOf(uint32_t Thread) const {
    uint64_t Last = 0;
    all().forEachRead(Read, [&](Stamp S) {
      if (Epoch E = all().epochOf(S); E.thread() == Thread)
        Last = E.clock();
    });
    return Last;
  }
  Note readNote() const { return Read; }
  Note writeNote() const { return Write; }
  /// The reads, as rules go through them.
  struct Readers {
    const Stamps &All;
    Reads R;
    template <class Fn> void forEach(Fn &&Visit) const {
      All.forEachRead(R, [&](Stamp S) { Visit(All.epochOf(S), Note(S)); });
    }
  };
  Readers reads() const { return {all(), Read}; }

  // A stamp has its epoch.
  void setWrite(Epoch, Note N) {
    Write = Stamp(N);
    if (Read)
      Read = By.uncovered(Read, V);
  }
  void setRead(Epoch, Note N) { Read = Stamp(N); }
  void share(Epoch, Note N) { Read = By.withRead(Read, V, Stamp(N)); }
  void setSharedRead(Epoch, Note N) { Read = By.withRead(Read, V, Stamp(N)); }

  void assertOwned() const PF_ASSERT_HELD(this) {}

  Stamp writeStamp() const { return Write; }
  Reads readStamps() const { return Read; }

private:
  const Stamps &all() const { return By.all(); }

  Stamper &By;
  const Clock &V;
  Stamp Write;
  Reads Read;
};

/// What atomics have done to a part, likewise: an AtomicHistory (detector/atomic_access.h).
class StampedAtomics {
public:
  class Set {
  public:
    Set(Stamper &By, const Clock &V, Reads R) : By(By), V(V), R(R) {}

    uint64_t get(uint32_t Thread) const { return StampedCell(By, V, 0, R).lastReadOf(Thread); }
    void set(Epoch, Note N) { R = By.withRead(R, V, Stamp(N)); }
    /// Without what somebody dominates whose clock is V.
    void drop() { R = By.uncovered(R, V); }
    template <class Fn> void forEach(Fn &&Visit) const {
      StampedCell::Readers{By.all(), R}.forEach(Visit);
    }
    Reads stamps() const { return R; }

  private:
    Stamper &By;
    const Clock &V;
    Reads R;
  };

  StampedAtomics(Stamper &By, const Clock &V, photofinish::Reads ReadBy,
                 photofinish::Reads WrittenBy)
      : Reads(By, V, ReadBy), Writes(By, V, WrittenBy) {}

  Set Reads, Writes;
};

class Granule {
public:
  static constexpr uint64_t Bytes = GranuleBytes;
  /// The bytes of [Offset, Offset+Size) of a granule.
  static constexpr uint8_t maskOf(uint64_t Offset, uint64_t Size) {
    return uint8_t(((1u << Size) - 1) << Offset);
  }
  /// No granule is this: look for its page again.
  static constexpr uint64_t Frozen = ~uint64_t(0xff);

  Granule() = default;
  Granule(const Granule &) = delete;
  Granule &operator=(const Granule &) = delete;

  // Acquire and release: who reads a word reads what its numbers stand for.
  uint64_t load() const { return Word.load(std::memory_order_acquire); }
  void store(uint64_t New) { Word.store(New, std::memory_order_release); }
  /// From Old to New; if it is no longer Old, that is told.
  bool exchange(uint64_t &Old, uint64_t New) {
    return Word.compare_exchange_strong(Old, New, std::memory_order_acq_rel,
                                        std::memory_order_acquire);
  }
  uint64_t freeze() { return Word.exchange(Frozen, std::memory_order_acq_rel); }

  // What words say.

  /// [READ SAME EPOCH], [WRITE SAME EPOCH]: of a granule with one part, at any time. A read after a
  /// write is one, too.
  template <AccessKind Kind>
  static PF_INLINE bool isHit(uint64_t W, uint8_t Mask, const Hits &Known) {
    return (W & Mask) == Mask &&
           (Known.has(writeOf(W)) || (Kind == AccessKind::Read && Known.has(readsOf(W))));
  }
  /// The same of any granule, and [READ SHARED SAME EPOCH]; while there can be no collection.
  static bool isSame(uint64_t W, uint8_t Mask, bool IsWrite, Epoch Now, const Stamps &All) {
    uint8_t Left = Mask;
    Parts(All, W).forEach([&](const Part &P) {
      bool Is = All.isAt(writeOf(P.Plain), Now);
      if (!IsWrite && !Is)
        All.forEachRead(readsOf(P.Plain), [&](Stamp S) { Is |= All.isAt(S, Now); });
      if (Is && !P.Atomic)
        Left &= uint8_t(~P.mask());
    });
    return !Left;
  }
  /// Is everything that was done to it ordered before somebody?
  static bool isBefore(uint64_t W, const Clock &V, const Stamps &All) {
    auto AreBefore = [&](Reads Some) {
      bool Are = true;
      All.forEachRead(Some, [&](Stamp S) { Are &= All.isBefore(S, V); });
      return Are;
    };
    auto IsPartBefore = [&](uint64_t Fields) {
      return AreBefore(writeOf(Fields)) && AreBefore(readsOf(Fields));
    };
    if (!isRecord(W))
      return IsPartBefore(W);
    bool Is = true;
    Parts(All, W).forEach(
        [&](const Part &P) { Is &= IsPartBefore(P.Plain) && IsPartBefore(P.Atomic); });
    return Is;
  }
  static bool hasAtomics(uint64_t W, const Stamps &All) {
    return isRecord(W) && All.Parts.at<uint64_t>(numberOf(W)) & AtomicsFlag;
  }
  /// Do all bytes have the same history in both?
  static bool areAlike(uint64_t A, uint64_t B, const Stamps &All) {
    if (A == B)
      return true;
    // Records and sets alone may have several numbers for the same.
    if (isRecord(A) != isRecord(B) || (!isRecord(A) && !(A & B & SharedReads)))
      return false;
    auto AreEqual = [&](uint64_t X, uint64_t Y) {
      return X == Y || (uint8_t(X) == uint8_t(Y) && All.areEqual(writeOf(X), writeOf(Y)) &&
                        All.areEqual(readsOf(X), readsOf(Y)));
    };
    Parts Mine(All, A), Others(All, B);
    bool AreAll = Mine.size() == Others.size();
    for (uint32_t I = 0; AreAll && I < Mine.size(); ++I)
      AreAll =
          AreEqual(Mine[I].Plain, Others[I].Plain) && AreEqual(Mine[I].Atomic, Others[I].Atomic);
    return AreAll;
  }
  /// Calls Visit(mask) for every part that plain accesses have touched.
  template <class Fn> void forEach(const Stamps &All, Fn &&Visit) const {
    Parts(All, load()).forEach([&](const Part &P) {
      if (historyOf(P.Plain))
        Visit(P.mask());
    });
  }
  /// The bytes that have been accessed, by atomics, too.
  uint8_t touched(const Stamps &All) const {
    uint8_t Mask = 0;
    Parts(All, load()).forEach([&](const Part &P) { Mask |= P.mask(); });
    return Mask;
  }
  bool isUntouched() const { return !load(); }

  // What words become.

  /// By one plain or atomic access to the bytes of Mask. MakeStamp() is asked if there is something
  /// to remember. OnRace(mask, Epoch First, its stamp, AccessKind).
  template <class StampFn, class Fn>
  static PF_INLINE uint64_t accessed(uint64_t Old, ThreadState &T, Stamper &By, uint8_t Mask,
                                     AccessKind Kind, StampFn &&MakeStamp, Fn &&OnRace) {
    // Nearly always: the bytes are the only part, or nobody has touched the granule.
    if (!isAtomic(Kind) && (Old & Mask ? uint8_t(Old) == Mask : !Old)) {
      StampedCell X(By, T.clock(), writeOf(Old), readsOf(Old));
      return apply(T, X, Mask, Kind, MakeStamp, OnRace) ? wordOf(X, Mask) : Old;
    }
    return accessedInPart(Old, T, By, Mask, Kind, MakeStamp, OnRace);
  }
  /// By the bytes of Mask being fresh memory.
  static uint64_t forgotten(uint64_t Old, Stamper &By, uint8_t Mask) {
    if (Mask == 0xff)
      return 0;
    Parts P(By.all(), Old);
    P.forget(Mask);
    return P.word(By);
  }
  /// By nothing but a write of the bytes of Mask, where nobody had touched any.
  static uint64_t startingWith(uint8_t Mask, Stamp Written) {
    return uint64_t(Written) << WriteShift | Mask;
  }
  /// By a collection, which keeps its stamps.
  static uint64_t kept(uint64_t Old, Stamps::Collection &C, const Stamps &All) {
    auto Keep = [&](uint64_t Fields) {
      return uint64_t(C.keepReads(readsOf(Fields))) << ReadShift |
             uint64_t(C.keepReads(writeOf(Fields))) << WriteShift | uint8_t(Fields);
    };
    if (!isRecord(Old))
      return Old ? Keep(Old) : 0;
    auto Header = uint32_t(All.Parts.at<uint64_t>(numberOf(Old)));
    return uint64_t(C.keepParts(numberOf(Old), wordsOf(Header), Keep)) << WriteShift;
  }

private:
  static constexpr unsigned WriteShift = 8, ReadShift = 36;
  static constexpr uint64_t FieldMask = (uint64_t(1) << (Stamps::Bits + 1)) - 1;
  static_assert(ReadShift == WriteShift + Stamps::Bits + 1 && ReadShift + Stamps::Bits + 1 == 64);
  static constexpr uint64_t SharedReads = uint64_t(Stamps::Shared) << ReadShift;

  static Stamp writeOf(uint64_t Part) { return Stamp(Part >> WriteShift & FieldMask); }
  static Reads readsOf(uint64_t Part) { return Reads(Part >> ReadShift); }
  static uint64_t historyOf(uint64_t Part) { return Part & ~uint64_t(0xff); }
  static uint64_t fields(Reads Read, Reads Written, uint8_t Mask) {
    return uint64_t(Read) << ReadShift | uint64_t(Written) << WriteShift | Mask;
  }
  static uint64_t wordOf(const StampedCell &X, uint8_t Mask) {
    return fields(X.readStamps(), X.writeStamp(), Mask);
  }

  // Records: how many parts, and whether atomics have touched one; the parts, as words, in the
  // order of their first bytes; what atomics did, a word for each: reads and writes, as the parts'
  // fields.
  static constexpr uint64_t AtomicsFlag = 0x100;
  static bool isRecord(uint64_t W) { return W && !uint8_t(W); }
  static Records::Number numberOf(uint64_t W) { return Records::Number(W >> WriteShift); }
  static uint32_t wordsOf(uint32_t Header) {
    return 1 + uint8_t(Header) * (Header & AtomicsFlag ? 2 : 1);
  }
  static uint64_t recordOf(Stamper &By, const uint64_t *Record) {
    return uint64_t(By.partsOf(Record, wordsOf(uint32_t(Record[0])))) << WriteShift;
  }
  static uint64_t firstByte(uint64_t Part) { return Part & -Part & 0xff; }

  /// A plain access to all bytes of a part; false if it changes nothing.
  template <class StampFn, class Fn>
  static PF_INLINE bool apply(ThreadState &T, StampedCell &X, uint8_t Mask, AccessKind Kind,
                              StampFn &&MakeStamp, Fn &&OnRace) {
    auto Told = [&](Epoch E, Note N, AccessKind K) { OnRace(Mask, E, Stamp(N), K); };
    if (Kind == AccessKind::Read) {
      if (rule::readSameEpoch(T, X) || rule::readSharedSameEpoch(T, X) ||
          (X.isWrittenAt(T.now()) && T.fired(Rule::ReadSameEpoch)))
        return false;
      X.assertOwned();
      rule::readSlow(T, X, MakeStamp(), Told);
    } else {
      if (rule::writeSameEpoch(T, X))
        return false;
      X.assertOwned();
      rule::writeSlow(T, X, MakeStamp(), Told);
    }
    return true;
  }

  struct Part {
    uint64_t Plain;  // as in a word, with the mask
    uint64_t Atomic; // reads and writes

    uint8_t mask() const { return uint8_t(Plain); }
  };

  /// The parts, taken out of wherever they are.
  class Parts {
  public:
    Parts(const Stamps &All, uint64_t W) {
      if (!isRecord(W)) {
        if (W)
          Of[Count++] = {W, 0};
        return;
      }
      const uint64_t *Record = &All.Parts.at<uint64_t>(numberOf(W));
      auto Header = uint32_t(Record[0]);
      for (auto Size = uint8_t(Header); Count < Size; ++Count)
        Of[Count] = {Record[1 + Count], Header & AtomicsFlag ? Record[1 + Size + Count] : 0};
    }
    /// And put where they belong.
    uint64_t word(Stamper &By) const {
      if (!Count)
        return 0;
      uint64_t AnyAtomic = 0;
      for (uint32_t I = 0; I < Count; ++I)
        AnyAtomic |= Of[I].Atomic;
      if (Count == 1 && !AnyAtomic)
        return Of[0].Plain;
      uint64_t Record[1 + 2 * Bytes];
      Record[0] = Count | (AnyAtomic ? AtomicsFlag : 0);
      for (uint32_t I = 0; I < Count; ++I) {
        Record[1 + I] = Of[I].Plain;
        if (AnyAtomic)
          Record[1 + Count + I] = Of[I].Atomic;
      }
      return recordOf(By, Record);
    }

    uint32_t size() const { return Count; }
    const Part &operator[](uint32_t I) const { return Of[I]; }
    template <class Fn> void forEach(Fn &&Visit) const {
      for (uint32_t I = 0; I < Count; ++I)
        Visit(Of[I]);
    }

    /// Calls Change(Part &, bytes) for parts that together are exactly the bytes of Mask; it says
    /// whether it has changed the part's history. False if none has been.
    template <class Fn> PF_INLINE bool access(uint8_t Mask, Fn &&Change) {
      uint32_t Before = Count;
      uint8_t Left = Mask;
      bool IsChanged = false;
      Part Met[Bytes];
      uint32_t NumMet = 0;
      Count = 0;
      for (uint32_t I = 0; I < Before; ++I) {
        Part Its = Of[I];
        uint8_t Inside = Its.mask() & Mask;
        Left &= uint8_t(~Inside);
        Part New = Its;
        if (Inside && Change(New, Inside)) {
          IsChanged = true;
          Its.Plain &= ~uint64_t(Inside);
          New.Plain = historyOf(New.Plain) | Inside;
          Met[NumMet++] = New;
        }
        if (Its.mask())
          insert(Its, Count++); // never ahead of what is still to be looked at
      }
      if (Part New = {0, 0}; Left && Change(New, Left)) {
        IsChanged = true;
        New.Plain |= Left;
        Met[NumMet++] = New;
      }
      for (uint32_t I = 0; I < NumMet; ++I)
        add(Met[I]);
      return IsChanged;
    }
    void forget(uint8_t Mask) {
      for (uint32_t I = 0; I < Count; ++I)
        Of[I].Plain &= ~uint64_t(Mask);
      dropEmpty();
    }

  private:
    void dropEmpty() {
      uint32_t Kept = 0;
      for (uint32_t I = 0; I < Count; ++I)
        if (Of[I].mask())
          insert(Of[I], Kept++);
      Count = Kept;
    }
    void add(Part New) {
      for (uint32_t I = 0; I < Count; ++I)
        if (historyOf(Of[I].Plain) == historyOf(New.Plain) && Of[I].Atomic == New.Atomic) {
          New.Plain |= Of[I].Plain;
          std::memmove(&Of[I], &Of[I + 1], (--Count - I) * sizeof(Part));
          break;
        }
      insert(New, Count++);
    }
    /// Among the first so many, which are in order.
    void insert(Part New, uint32_t Among) {
      for (; Among && firstByte(Of[Among - 1].Plain) > firstByte(New.Plain); --Among)
        Of[Among] = Of[Among - 1];
      Of[Among] = New;
    }

    uint32_t Count = 0;
    Part Of[Bytes + 1]; // one more while a part moves
  };

  /// Of several parts, but plainly, and to bytes of one of them or of none: the rest is copied.
  template <class StampFn, class Fn>
  __attribute__((noinline)) static uint64_t
  accessedInPart(uint64_t Old, ThreadState &T, Stamper &By, uint8_t Mask, AccessKind Kind,
                 StampFn &&MakeStamp, Fn &&OnRace) {
    const uint64_t *Words = &Old;
    uint64_t Count = Old != 0;
    if (isRecord(Old)) {
      Words = &By.all().Parts.template at<uint64_t>(numberOf(Old));
      Count = *Words++; // and the flag, if there are atomics
    }
    uint64_t Its = 0;
    bool IsSimple = !isAtomic(Kind) && Count <= Bytes;
    for (uint32_t I = 0; IsSimple && I < Count; ++I)
      if (uint8_t Inside = Words[I] & Mask) {
        Its = Words[I];
        IsSimple = Inside == Mask;
        break;
      }
    if (!IsSimple)
      return accessedInParts(Old, T, By, Mask, Kind, MakeStamp, OnRace);

    StampedCell X(By, T.clock(), writeOf(Its), readsOf(Its));
    if (!apply(T, X, Mask, Kind, MakeStamp, OnRace))
      return Old;
    uint64_t New = wordOf(X, Mask);
    uint64_t Record[1 + Bytes];
    uint64_t *End = Record;
    auto Insert = [&](uint64_t W) { // in the order of the parts' first bytes
      uint64_t *At = End++;
      for (; At != Record && firstByte(*At) > firstByte(W); --At)
        At[1] = At[0];
      At[1] = W;
    };
    for (uint32_t I = 0; I < Count; ++I) {
      uint64_t W = Words[I] == Its ? Its & ~uint64_t(Mask) : Words[I];
      if (historyOf(W) == historyOf(New))
        New |= W; // strings are written, and read, byte by byte
      else if (uint8_t(W))
        Insert(W);
    }
    Insert(New);
    Record[0] = uint64_t(End - Record);
    return Record[0] == 1 ? Record[1] : recordOf(By, Record);
  }

  template <class StampFn, class Fn>
  __attribute__((noinline)) static uint64_t
  accessedInParts(uint64_t Old, ThreadState &T, Stamper &By, uint8_t Mask, AccessKind Kind,
                  StampFn &&MakeStamp, Fn &&OnRace) {
    Stamp Made = 0;
    auto StampOnce = [&] { return Made ? Made : Made = MakeStamp(); };
    Parts P(By.all(), Old);
    bool IsChanged = P.access(Mask, [&](Part &Its, uint8_t Here) {
      StampedCell X(By, T.clock(), writeOf(Its.Plain), readsOf(Its.Plain));
      if (__builtin_expect(!Its.Atomic && !isAtomic(Kind), true)) {
        bool IsNew = apply(T, X, Here, Kind, StampOnce, OnRace);
        Its.Plain = wordOf(X, Its.mask());
        return IsNew;
      }
      StampedAtomics A(By, T.clock(), readsOf(Its.Atomic), writeOf(Its.Atomic));
      auto Told = [&](Epoch E, Note N, AccessKind K) { OnRace(Here, E, Stamp(N), K); };
      Part Before = Its;
      X.assertOwned();
      switch (Kind) {
      case AccessKind::Read:
        rule::atomicReadRace(T, A, Told);
        if (!apply(T, X, Here, Kind, StampOnce, OnRace))
          return false;
        break;
      case AccessKind::Write:
        rule::atomicWriteRace(T, A, Told);
        if (!apply(T, X, Here, Kind, StampOnce, OnRace))
          return false;
        // Whoever races with an atomic that is ordered before the write races with that.
        A.Reads.drop();
        A.Writes.drop();
        break;
      case AccessKind::AtomicRead:
        rule::atomicRead(T, X, A, StampOnce(), Told);
        break;
      case AccessKind::AtomicWrite:
        rule::atomicWrite(T, X, A, StampOnce(), Told);
        A.Reads.drop();
        break;
      }
      Its.Plain = wordOf(X, Before.mask());
      Its.Atomic = fields(A.Reads.stamps(), A.Writes.stamps(), 0);
      return Its.Plain != Before.Plain || Its.Atomic != Before.Atomic;
    });
    return IsChanged ? P.word(By) : Old;
  }

  std::atomic<uint64_t> Word{0};
};
static_assert(sizeof(Granule) == 8);

/// Many granules have the same history, and an access makes the same of them: it is found out once,
/// as long as they come one after the other.
class AlikeGranules {
public:
  /// What Old becomes. Next(Raced) finds it out, and sets Raced if that found a race, which is
  /// found again wherever it is.
  template <class Fn> PF_INLINE uint64_t next(uint64_t Old, uint8_t Mask, Fn &&Next) {
    if (knows(Old, Mask))
      return To;
    bool Raced = false;
    To = Next(Raced);
    From = Old;
    Accessed = Mask;
    IsKnown = !Raced;
    return To;
  }
  /// Is it the same again? Then it becomes this.
  PF_INLINE bool knows(uint64_t Old, uint8_t Mask) const {
    return Old == From && Mask == Accessed && IsKnown;
  }
  uint64_t to() const { return To; }
  /// Of whole granules that the caller owns: how many, from the first on, are the same again. They
  /// have become this then.
  unsigned spread(Granule *Some, unsigned Count) const {
    if (!IsKnown || Accessed != 0xff)
      return 0;
    unsigned I = 0;
    // A row of a matrix has hundreds: several with one branch.
    constexpr unsigned AtOnce = 4;
    for (; I + AtOnce <= Count; I += AtOnce) {
      uint64_t Differs = 0;
      for (unsigned J = 0; J < AtOnce; ++J)
        Differs |= Some[I + J].load() ^ From;
      if (Differs)
        break;
      for (unsigned J = 0; J < AtOnce; ++J)
        Some[I + J].store(To);
    }
    for (; I < Count && Some[I].load() == From; ++I)
      Some[I].store(To);
    return I;
  }

private:
  uint64_t From = 0, To = 0;
  uint8_t Accessed = 0;
  bool IsKnown = false;
};

/// What there is for some memory: cells, for so many bytes that have been accessed.
struct CellCount {
  uint64_t Cells = 0, Bytes = 0;

  void operator+=(const CellCount &Other) {
    Cells += Other.Cells;
    Bytes += Other.Bytes;
  }
  /// Those of the bytes of Mask of so many granules that are all like G.
  void addBytes(const Granule &G, uint8_t Mask, unsigned Granules, const Stamps &All) {
    G.forEach(All, [&](uint8_t Part) {
      Bytes += uint64_t(std::popcount(uint8_t(Part & Mask))) * Granules;
    });
  }
};

/// The shadow of one page of memory: its granules, and nothing that checks would have to step over.
class FinePage {
public:
  static constexpr unsigned Shift = 12;
  static constexpr uint64_t Bytes = uint64_t(1) << Shift;

  Granule &granuleOf(uint64_t Address) { return Granules[Address % Bytes / Granule::Bytes]; }

  /// Calls Visit(address of a granule, mask) for the granules of a range.
  template <class Fn> static void forEachGranule(uint64_t Address, uint64_t Size, Fn &&Visit) {
    while (Size) {
      uint64_t Offset = Address % Granule::Bytes;
      uint64_t Here = Size < Granule::Bytes - Offset ? Size : Granule::Bytes - Offset;
      Visit(Address - Offset, Granule::maskOf(Offset, Here));
      Address += Here;
      Size -= Here;
    }
  }
  /// Calls Visit(Granule &, mask, address of the granule) for those of a range that lies in this
  /// page.
  template <class Fn> void visit(uint64_t Address, uint64_t Size, Fn &&Visit) {
    forEachGranule(Address, Size,
                   [&](uint64_t At, uint8_t Mask) { Visit(granuleOf(At), Mask, At); });
  }

  /// Its stamps are kept.
  void keep(Stamps::Collection &C, const Stamps &All) {
    uint64_t Last = 0, New = 0; // neighbours are often alike
    for (Granule &G : Granules)
      if (uint64_t Old = G.load()) {
        if (Old != Last)
          New = Granule::kept(Last = Old, C, All);
        G.store(New);
      }
  }
  /// Calls Visit(mask) for every part of every granule.
  template <class Fn> void forEach(const Stamps &All, Fn &&Visit) const {
    for (const Granule &G : Granules)
      G.forEach(All, Visit);
  }
  /// What a range that lies in this page has.
  CellCount count(uint64_t Address, uint64_t Size, const Stamps &All) {
    CellCount Sum;
    visit(Address, Size, [&](const Granule &G, uint8_t Mask, uint64_t) {
      G.forEach(All, [&](uint8_t Part) { Sum.Cells += (Part & Mask) != 0; });
      Sum.addBytes(G, Mask, 1, All);
    });
    return Sum;
  }

private:
  Granule Granules[Bytes / Granule::Bytes];
};

/// Calls Visit(address, size) for the pieces of a range that lie in one page each.
template <class Fn> void forEachPage(uint64_t Address, uint64_t Size, Fn &&Visit) {
  while (Size) {
    uint64_t Offset = Address % FinePage::Bytes;
    uint64_t Here = Size < FinePage::Bytes - Offset ? Size : FinePage::Bytes - Offset;
    Visit(Address, Here);
    Address += Here;
    Size -= Here;
  }
}

/// An access to a granule that the caller owns; see Granule::accessed.
template <class StampFn, class Fn>
void checkGranule(ThreadState &T, Stamper &By, Granule &G, uint8_t Mask, AccessKind Kind,
                  StampFn &&MakeStamp, Fn &&OnRace) {
  G.store(Granule::accessed(G.load(), T, By, Mask, Kind, MakeStamp, OnRace));
}

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_GRANULE_H
