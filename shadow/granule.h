//===- granule.h - Eight bytes of memory, as few words as they need ---------===//
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
//   | address of a Node             | 0       |   several parts, or what atomics need
//   +-------------------------------+---------+
//
//   int Pair[2], written by two threads:   Node: 0x0f W = 1@5, 0xf0 W = 2@3
//   then by one thread in one epoch:       0xff W = 1@7
//
// An access to some of a part's bytes splits it; parts whose histories have become equal are merged
// again. Both lose nothing: a byte's history is the same before and after. Bytes that nobody has
// touched belong to no part.
//
// What atomics have done is apart: the last atomic read and write of every thread
// (atomic_access.h), for sets of bytes that need not be those of the parts.
//
// Who may do what ("p" is the lock of the page that the granule belongs to): Word is written
// holding p, and read by anyone; a Node is for whoever holds p. The same-epoch tests of
// VerifiedFT-v2 run without the lock, where there is one part: its bytes and its stamps are one
// load.
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
  explicit StampedCell(Stamper &By, Stamp Write = 0, Reads Read = 0)
      : By(By), Write(Write), Read(Read) {}

  Epoch write() const { return all().epochOf(Write); }
  Epoch read() const { return Stamps::isShared(Read) ? Epoch::shared() : all().epochOf(Read); }
  bool isReadShared() const { return Stamps::isShared(Read); }
  bool isReadAt(Epoch Now) const { return !isReadShared() && all().isAt(Read, Now); }
  bool isWrittenAt(Epoch Now) const { return all().isAt(Write, Now); }
  bool isWriteBefore(const Clock &V) const { return all().isBefore(Write, V); }
  bool isReadBefore(const Clock &V) const { return all().isBefore(Read, V); }
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
  /// V. Only while the reads are SHARED.
  struct Readers {
    const StampedCell &X;
    template <class Fn> void forEach(Fn &&Visit) const {
      X.all().forEachRead(X.Read, [&](Stamp S) { Visit(X.all().epochOf(S), Note(S)); });
    }
  };
  Readers reads() const { return {*this}; }

  // A stamp has its epoch.
  void setWrite(Epoch, Note N) { Write = Stamp(N); }
  void setRead(Epoch, Note N) { Read = Stamp(N); }
  void share(Epoch, Note N) { Read = By.withRead(Read, Stamp(N)); }
  void setSharedRead(Epoch, Note N) { Read = By.withRead(Read, Stamp(N)); }

  void assertOwned() const PF_ASSERT_HELD(this) {}

  Stamp writeStamp() const { return Write; }
  Reads readStamps() const { return Read; }

private:
  const Stamps &all() const { return By.all(); }

  Stamper &By;
  Stamp Write;
  Reads Read;
};

class Granule {
  friend class AlikeGranules;

public:
  static constexpr uint64_t Bytes = GranuleBytes;
  /// The bytes of [Offset, Offset+Size) of a granule.
  static constexpr uint8_t maskOf(uint64_t Offset, uint64_t Size) {
    return uint8_t(((1u << Size) - 1) << Offset);
  }

  Granule() = default;
  Granule(const Granule &) = delete;
  Granule &operator=(const Granule &) = delete;
  ~Granule() { deleteNode(node()); }

  // Without the lock.

  /// [READ SAME EPOCH]
  bool isReadSince(uint8_t Mask, Epoch Now, const Stamps &All) const {
    uint64_t W = Word.load(std::memory_order_acquire);
    return (W & Mask) == Mask && !Stamps::isShared(readsOf(W)) && isAt(W, readsOf(W), Now, All);
  }
  /// [WRITE SAME EPOCH]
  bool isWrittenSince(uint8_t Mask, Epoch Now, const Stamps &All) const {
    uint64_t W = Word.load(std::memory_order_acquire);
    return (W & Mask) == Mask && isAt(W, writeOf(W), Now, All);
  }

  /// [READ SHARED SAME EPOCH]; while there can be no collection.
  bool isSharedReadSince(uint8_t Mask, Epoch Now, const Stamps &All) const {
    uint64_t W = Word.load(std::memory_order_acquire);
    if ((W & Mask) != Mask || !Stamps::isShared(readsOf(W)))
      return false;
    bool IsOne = false;
    All.forEachRead(readsOf(W), [&](Stamp S) { IsOne |= All.epochOf(S) == Now; });
    return IsOne;
  }

  // By whoever owns the granule.

  /// Calls Apply(StampedCell &, mask) for parts that together are exactly the bytes of Mask, but
  /// for those that IsSame(const StampedCell &) says the access would leave as they are; and
  /// OnAtomics(const AtomicHistory &, mask) for the bytes of Mask that atomics have touched.
  template <class SameFn, class Fn, class AtomicFn>
  void access(Stamper &By, uint8_t Mask, SameFn &&IsSame, Fn &&Apply, AtomicFn &&OnAtomics) {
    // Nearly always: the bytes are the only part, or nobody has touched the granule.
    uint64_t Old = load();
    if (Old & Mask ? uint8_t(Old) == Mask : !Old) {
      StampedCell X(By, writeOf(Old), readsOf(Old));
      if (IsSame(X))
        return;
      Apply(X, Mask);
      return store(wordOf(X, Mask));
    }
    Parts P(*this);
    if (Node *N = node())
      N->forEachAtomic(Mask, OnAtomics);
    if (P.access(By, Mask, IsSame, Apply))
      put(P);
  }

  /// An atomic access: Apply(StampedCell, AtomicHistory &, mask) for parts that together are
  /// exactly the bytes of Mask.
  template <class Fn> void accessAtomically(Stamper &By, uint8_t Mask, Fn &&Apply) {
    Parts P(*this);
    if (!node())
      putInNode(P);
    node()->splitAtomics(Mask);
    node()->forEachAtomic(Mask, [&](AtomicHistory &A, uint8_t Here) {
      uint8_t Untouched = Here;
      P.forEach([&](uint64_t Part) {
        uint8_t Inside = uint8_t(Part) & Here;
        Untouched &= uint8_t(~Inside);
        if (Inside)
          Apply(StampedCell(By, writeOf(Part), readsOf(Part)), A, Inside);
      });
      if (Untouched)
        Apply(StampedCell(By), A, Untouched);
    });
  }

  /// The bytes are fresh memory.
  void forget(uint8_t Mask) {
    uint64_t Old = load();
    if (uint8_t(Old)) {
      auto Left = uint8_t(uint8_t(Old) & ~Mask);
      return store(Left ? (Old & ~uint64_t(0xff)) | Left : 0);
    }
    if (!Old)
      return;
    node()->forgetAtomics(Mask);
    Parts P(*this);
    P.forget(Mask);
    put(P);
  }

  /// The bytes of Mask, and no others, were written once; nobody has touched the granule.
  void startWith(uint8_t Mask, Stamp Written) { store(uint64_t(Written) << WriteShift | Mask); }

  /// Becomes a copy of Other, which atomics have not touched; this one is untouched before.
  void copyFrom(const Granule &Other) {
    if (!Other.node())
      return store(Other.load());
    Parts P(Other);
    putInNode(P);
  }
  /// Becomes what Other is, which is untouched then; this one is untouched before.
  void takeFrom(Granule &Other) {
    store(Other.load());
    Other.store(0);
  }
  /// Do all bytes have the same history in both? Atomics have touched neither.
  bool hasHistoryOf(const Granule &Other, const Stamps &All) const {
    if (!node() || !Other.node())
      return areEqual(load(), Other.load(), All);
    Parts Mine(*this), Theirs(Other);
    bool AreAll = Mine.size() == Theirs.size();
    for (uint32_t I = 0; AreAll && I < Mine.size(); ++I)
      AreAll = areEqual(Mine[I], Theirs[I], All);
    return AreAll;
  }
  bool hasAtomics() const { return node() && node()->Atomics; }
  bool isUntouched() const { return !load(); }

  /// Calls Visit(mask) for every part.
  template <class Fn> void forEach(Fn &&Visit) const {
    Parts(*this).forEach([&](uint64_t Part) { Visit(uint8_t(Part)); });
  }
  /// The bytes that have been accessed, by atomics, too.
  uint8_t touched() const {
    uint8_t Mask = 0;
    forEach([&](uint8_t Part) { Mask |= Part; });
    if (Node *N = node())
      N->forEachAtomic(0xff, [&](const AtomicHistory &, uint8_t Here) { Mask |= Here; });
    return Mask;
  }
  /// Its stamps are kept.
  void keep(Stamps::Collection &C) {
    auto Keep = [&](uint64_t Part) {
      return uint64_t(C.keepReads(readsOf(Part))) << ReadShift |
             uint64_t(C.keep(writeOf(Part))) << WriteShift | uint8_t(Part);
    };
    uint64_t Old = load();
    if (!Old)
      return;
    Node *N = node();
    if (!N)
      return store(Keep(Old));
    for (uint32_t I = 0; I < N->Count; ++I)
      N->Part[I] = Keep(N->Part[I]);
    auto KeepNote = [&](Note &Its) { Its = C.keep(Stamp(Its)); };
    N->forEachAtomic(0xff, [&](AtomicHistory &A, uint8_t) {
      A.Reads.forEachNote(KeepNote);
      A.Writes.forEachNote(KeepNote);
    });
  }

private:
  static constexpr unsigned WriteShift = 8, ReadShift = 36;
  static constexpr uint64_t FieldMask = (uint64_t(1) << (Stamps::Bits + 1)) - 1;
  static_assert(ReadShift == WriteShift + Stamps::Bits + 1 && ReadShift + Stamps::Bits + 1 == 64);

  static Stamp writeOf(uint64_t Part) { return Stamp(Part >> WriteShift & FieldMask); }
  static Reads readsOf(uint64_t Part) { return Reads(Part >> ReadShift); }
  static uint64_t historyOf(uint64_t Part) { return Part & ~uint64_t(0xff); }
  static uint64_t wordOf(const StampedCell &X, uint8_t Mask) {
    return uint64_t(X.readStamps()) << ReadShift | uint64_t(X.writeStamp()) << WriteShift | Mask;
  }

  static bool areEqual(uint64_t A, uint64_t B, const Stamps &All) {
    return A == B || (uint8_t(A) && uint8_t(A) == uint8_t(B) && writeOf(A) == writeOf(B) &&
                      All.areEqual(readsOf(A), readsOf(B)));
  }
  /// Is that the epoch of a stamp of W, which was read from here? While there may be a collection:
  /// if W is still there, its numbers are what they were.
  bool isAt(uint64_t W, Stamp S, Epoch Now, const Stamps &All) const {
    return All.isAt(S, Now) && Word.load(std::memory_order_acquire) == W;
  }

  uint64_t load() const { return Word.load(std::memory_order_relaxed); }
  // Release: who reads a stamp reads what it stands for.
  void store(uint64_t New) { Word.store(New, std::memory_order_release); }

  /// What atomics have done to some bytes.
  struct AtomicPart {
    AtomicHistory A;
    AtomicPart *Next = nullptr;
    uint8_t Mask = 0;
  };
  static AtomicPart *makeAtomics(uint8_t Mask, AtomicPart *Next) {
    auto *P = new (host::allocate(sizeof(AtomicPart))) AtomicPart();
    P->Mask = Mask;
    P->Next = Next;
    return P;
  }
  static void deleteAtomics(AtomicPart *P) {
    P->~AtomicPart();
    host::release(P, sizeof(AtomicPart));
  }

  struct Node {
    AtomicPart *Atomics = nullptr; // bytes that atomics have touched, each in one of them
    uint32_t Count = 0, Room = 0;
    uint64_t Part[1] = {}; // in the order of their first bytes

    static size_t bytesOf(uint32_t Room) { return sizeof(Node) + (Room - 1) * sizeof(uint64_t); }

    template <class Fn> void forEachAtomic(uint8_t Mask, Fn &&Visit) {
      for (AtomicPart *P = Atomics; P; P = P->Next)
        if (uint8_t Here = P->Mask & Mask)
          Visit(P->A, Here);
    }
    /// The bytes of Mask are those of whole AtomicParts from now on.
    void splitAtomics(uint8_t Mask) {
      uint8_t Left = Mask;
      for (AtomicPart *P = Atomics; P; P = P->Next) {
        uint8_t Inside = P->Mask & Mask;
        Left &= uint8_t(~Inside);
        if (!Inside || Inside == P->Mask)
          continue;
        P->Next = makeAtomics(uint8_t(P->Mask & ~Inside), P->Next);
        P->Next->A.copyFrom(P->A);
        P->Mask = Inside;
      }
      if (Left)
        Atomics = makeAtomics(Left, Atomics);
    }
    void forgetAtomics(uint8_t Mask) {
      for (AtomicPart **Link = &Atomics; *Link;) {
        AtomicPart *P = *Link;
        P->Mask &= uint8_t(~Mask);
        if (P->Mask) {
          Link = &P->Next;
          continue;
        }
        *Link = P->Next;
        deleteAtomics(P);
      }
    }
  };

  Node *node() const {
    uint64_t W = load();
    return W & 0xff ? nullptr : reinterpret_cast<Node *>(W >> 8);
  }
  static void deleteNode(Node *N) {
    if (!N)
      return;
    N->forgetAtomics(0xff);
    host::release(N, Node::bytesOf(N->Room));
  }

  /// The parts, taken out of wherever they are.
  class Parts {
  public:
    explicit Parts(const Granule &G) {
      if (const Node *N = G.node())
        for (; Count < N->Count; ++Count)
          Part[Count] = N->Part[Count];
      else if (uint64_t Only = G.load())
        Part[Count++] = Only;
    }

    uint32_t size() const { return Count; }
    uint64_t operator[](uint32_t I) const { return Part[I]; }
    template <class Fn> void forEach(Fn &&Visit) const {
      for (uint32_t I = 0; I < Count; ++I)
        Visit(Part[I]);
    }

    /// False if nothing has changed.
    template <class SameFn, class Fn>
    bool access(Stamper &By, uint8_t Mask, SameFn &&IsSame, Fn &&Apply) {
      uint64_t Changed[Bytes];
      uint32_t NumChanged = 0;
      uint8_t Left = Mask;
      auto Change = [&](StampedCell &X, uint8_t Inside) {
        Apply(X, Inside);
        Changed[NumChanged++] = wordOf(X, Inside);
      };
      for (uint32_t I = 0; I < Count; ++I) {
        uint8_t Inside = uint8_t(Part[I]) & Mask;
        Left &= uint8_t(~Inside);
        StampedCell X(By, writeOf(Part[I]), readsOf(Part[I]));
        if (!Inside || IsSame(X))
          continue;
        Change(X, Inside);
        Part[I] &= ~uint64_t(Inside);
      }
      if (Left) {
        StampedCell X(By);
        Change(X, Left);
      }
      if (!NumChanged)
        return false;
      dropEmpty();
      for (uint32_t I = 0; I < NumChanged; ++I)
        add(Changed[I]);
      return true;
    }
    void forget(uint8_t Mask) {
      for (uint32_t I = 0; I < Count; ++I)
        Part[I] &= ~uint64_t(Mask);
      dropEmpty();
    }

  private:
    void dropEmpty() {
      uint32_t Kept = 0;
      for (uint32_t I = 0; I < Count; ++I)
        if (uint8_t(Part[I]))
          insert(Part[I], Kept++);
      Count = Kept;
    }
    void add(uint64_t New) {
      for (uint32_t I = 0; I < Count; ++I)
        if (historyOf(Part[I]) == historyOf(New)) {
          New |= Part[I];
          std::memmove(&Part[I], &Part[I + 1], (--Count - I) * sizeof(uint64_t));
          break;
        }
      insert(New, Count++);
    }
    /// Among the first so many, which are in order.
    void insert(uint64_t New, uint32_t Among) {
      auto FirstByte = [](uint64_t P) { return P & -P & 0xff; };
      for (; Among && FirstByte(Part[Among - 1]) > FirstByte(New); --Among)
        Part[Among] = Part[Among - 1];
      Part[Among] = New;
    }

    uint32_t Count = 0;
    uint64_t Part[Bytes + 1]; // one more while a part moves
  };

  void put(const Parts &P) {
    if (node() && node()->Atomics)
      return putInNode(P);
    if (P.size() > 1)
      return putInNode(P);
    deleteNode(node());
    store(P.size() ? P[0] : 0);
  }
  void putInNode(const Parts &P) {
    Node *N = node();
    if (!N || N->Room < P.size()) {
      uint32_t Room = P.size() <= 2 ? 2 : P.size() <= 4 ? 4 : 8;
      Node *New = new (host::allocate(Node::bytesOf(Room))) Node();
      New->Room = Room;
      if (N)
        std::swap(New->Atomics, N->Atomics);
      store(uint64_t(reinterpret_cast<uintptr_t>(New)) << 8);
      deleteNode(N);
      N = New;
    }
    N->Count = P.size();
    for (uint32_t I = 0; I < N->Count; ++I)
      N->Part[I] = P[I];
  }

  std::atomic<uint64_t> Word{0};
};
static_assert(sizeof(Granule) == 8);

/// Many granules have the same history, and an access makes the same of them: it is found out once,
/// as long as they come one after the other.
class AlikeGranules {
public:
  /// Check(Granule &) applies the access to the bytes of Mask of a granule; true if that found a
  /// race, which is found again wherever it is.
  template <class Fn> PF_INLINE void access(Granule &G, uint8_t Mask, Fn &&Check) {
    uint64_t Old = G.load();
    if (IsKnown && Old == From && Mask == Accessed)
      return G.store(To);
    bool IsPlain = !Old || uint8_t(Old), Raced = Check(G);
    From = Old;
    To = G.load();
    Accessed = Mask;
    IsKnown = IsPlain && uint8_t(To) && !Raced;
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
  void addBytes(const Granule &G, uint8_t Mask, unsigned Granules) {
    G.forEach(
        [&](uint8_t Part) { Bytes += uint64_t(std::popcount(uint8_t(Part & Mask))) * Granules; });
  }
};

/// The shadow of one page of memory: its granules, and nothing that inlined checks would
/// have to step over. Whoever calls owns the page, but for the three tests above.
class FinePage {
public:
  static constexpr unsigned Shift = 12;
  static constexpr uint64_t Bytes = uint64_t(1) << Shift;

  Granule &granuleOf(uint64_t Address) { return Granules[Address % Bytes / Granule::Bytes]; }

  /// Calls Visit(Granule &, mask, address of the granule) for the granules of a range that
  /// lies in this page.
  template <class Fn> void visit(uint64_t Address, uint64_t Size, Fn &&Visit) {
    while (Size) {
      uint64_t Offset = Address % Granule::Bytes;
      uint64_t Here = Size < Granule::Bytes - Offset ? Size : Granule::Bytes - Offset;
      Visit(granuleOf(Address), Granule::maskOf(Offset, Here), Address - Offset);
      Address += Here;
      Size -= Here;
    }
  }

  /// Its stamps are kept.
  void keep(Stamps::Collection &C) {
    for (Granule &G : Granules)
      G.keep(C);
  }
  /// Calls Visit(mask) for every part of every granule.
  template <class Fn> void forEach(Fn &&Visit) const {
    for (const Granule &G : Granules)
      G.forEach(Visit);
  }
  /// What a range that lies in this page has.
  CellCount count(uint64_t Address, uint64_t Size) {
    CellCount Sum;
    visit(Address, Size, [&](const Granule &G, uint8_t Mask, uint64_t) {
      G.forEach([&](uint8_t Part) { Sum.Cells += (Part & Mask) != 0; });
      Sum.addBytes(G, Mask, 1);
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

/// The rules for one plain or atomic access to the bytes of Mask of a granule. MakeStamp() is asked
/// if there is something to remember. OnRace(mask, Epoch First, its stamp, AccessKind).
template <class StampFn, class Fn>
void checkGranule(ThreadState &T, Stamper &By, Granule &G, uint8_t Mask, AccessKind Kind,
                  StampFn &&MakeStamp, Fn &&OnRace) {
  auto Told = [&](uint8_t Bytes) {
    return [&OnRace, Bytes](Epoch E, Note N, AccessKind K) { OnRace(Bytes, E, Stamp(N), K); };
  };
  switch (Kind) {
  case AccessKind::Read:
    return G.access(
        By, Mask,
        [&](const StampedCell &X) {
          return rule::readSameEpoch(T, X) || rule::readSharedSameEpoch(T, X);
        },
        [&](StampedCell &X, uint8_t Bytes) {
          X.assertOwned();
          rule::readSlow(T, X, MakeStamp(), Told(Bytes));
        },
        [&](const AtomicHistory &A, uint8_t Bytes) { rule::atomicReadRace(T, A, Told(Bytes)); });
  case AccessKind::Write:
    return G.access(
        By, Mask, [&](const StampedCell &X) { return rule::writeSameEpoch(T, X); },
        [&](StampedCell &X, uint8_t Bytes) {
          X.assertOwned();
          rule::writeSlow(T, X, MakeStamp(), Told(Bytes));
        },
        [&](const AtomicHistory &A, uint8_t Bytes) { rule::atomicWriteRace(T, A, Told(Bytes)); });
  case AccessKind::AtomicRead:
    return G.accessAtomically(By, Mask, [&](const StampedCell &X, AtomicHistory &A, uint8_t Bytes) {
      X.assertOwned();
      rule::atomicRead(T, X, A, MakeStamp(), Told(Bytes));
    });
  case AccessKind::AtomicWrite:
    return G.accessAtomically(By, Mask, [&](const StampedCell &X, AtomicHistory &A, uint8_t Bytes) {
      X.assertOwned();
      rule::atomicWrite(T, X, A, MakeStamp(), Told(Bytes));
    });
  }
}

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_GRANULE_H
