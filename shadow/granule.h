//===- granule.h - Eight bytes of memory, as few cells as they need ---------===//
//
// The unit of a race is the byte, but a cell per byte would be eight times the memory and
// the work for the same answer: bytes that are always accessed together have the same
// history. So the eight bytes of a granule are partitioned by history: each *part* is a set
// of bytes, as a mask, and their cell. An access to some of a part's bytes splits it; parts
// whose histories have become equal are merged again. Both lose nothing: a byte's history
// is the same before and after.
//
//   int Pair[2], written by two threads:   First 0x0f  W = 1@5      Rest -> 0xf0  W = 2@3
//   then by one thread in one epoch:       First 0xff  W = 1@7
//
// Most granules have one part, and that one is inside the granule. Bytes that nobody has
// touched belong to no part. Bytes that atomics touch always live in a part outside,
// because only those have room for what atomics need (atomic_access.h).
//
// Who may do what ("p" is the lock of the page that the granule belongs to):
//
//   field       | write        | read
//   ------------+--------------+----------------------------------------------------------
//   Parts       | holding p    | anyone, before the fields of First (see below)
//   First's W,R | holding p    | anyone
//   all else    | holding p    | holding p
//
// The same-epoch tests of VerifiedFT-v2 run without the lock, on First only: does First have
// all bytes of the access, and is its epoch the thread's own? Reading the mask first makes
// that right. Only thread t stores t's epoch, and t is busy asking: so if W is t's epoch when
// it is read, it was so already when the mask was read, and stores to a mask that add bytes
// come after (release) the stores to the cell that are true of them.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_GRANULE_H
#define PHOTOFINISH_SHADOW_GRANULE_H

#include "detector/atomic_access.h"
#include "shadow/line.h"

#include <atomic>
#include <cstdint>

namespace photofinish {

class Granule {
public:
  static constexpr uint64_t Bytes = GranuleBytes;
  /// The bytes of [Offset, Offset+Size) of a granule.
  static constexpr uint8_t maskOf(uint64_t Offset, uint64_t Size) {
    return uint8_t(((1u << Size) - 1) << Offset);
  }

  Granule() = default;
  Granule(const Granule &) = delete;
  Granule &operator=(const Granule &) = delete;
  ~Granule() { dropRest(); }

  /// [READ SAME EPOCH] without the lock.
  bool isReadSince(uint8_t Mask, Epoch Now) const {
    return (Parts.load(std::memory_order_acquire) & Mask) == Mask && First.isReadAt(Now);
  }
  /// [WRITE SAME EPOCH] without the lock.
  bool isWrittenSince(uint8_t Mask, Epoch Now) const {
    return (Parts.load(std::memory_order_acquire) & Mask) == Mask && First.write() == Now;
  }
  /// [READ SHARED SAME EPOCH] without the lock.
  bool isSharedReadSince(uint8_t Mask, Epoch Now) const {
    return (Parts.load(std::memory_order_acquire) & Mask) == Mask &&
           First.lastReadOf(Now.thread()) == Now.clock();
  }

  /// Calls Apply(Cell &, const AtomicHistory * or null, mask) for parts that together are
  /// exactly the bytes of Mask, but for those of a cell that IsSame(const Cell &) says the
  /// access would leave as it is. The caller owns the granule.
  template <class SameFn, class Fn> void access(uint8_t Mask, SameFn &&IsSame, Fn &&Apply) {
    // Nearly always: the bytes are all that First has, or nobody has touched the granule.
    uint64_t Known = Parts.load(std::memory_order_relaxed);
    if (Known == Mask || !Known) {
      if (!IsSame(First))
        Apply(First, nullptr, Mask);
      if (!Known)
        setFirstMask(Mask);
      return;
    }
    // Or those of the only other part.
    if (Part *P = rest(); P && P->Mask == Mask && !P->Next && !P->Atomics && firstMask()) {
      if (IsSame(P->X))
        return;
      Apply(P->X, nullptr, Mask);
      if (areEqual(First, P->X)) {
        setFirstMask(firstMask() | Mask);
        removePart(P, nullptr);
      }
      return;
    }
    accessParts(Mask, IsSame, Apply);
  }

  /// The same for atomics: Apply(Cell &, AtomicHistory &, mask).
  template <class Fn> void accessAtomically(uint8_t Mask, Fn &&Apply) {
    uint8_t Left = Mask;
    if (uint8_t Inside = firstMask() & Mask) {
      Part *P = addPart(Inside);
      copy(First, P->X);
      if (Inside == firstMask())
        clear(First);
      setFirstMask(firstMask() & ~Inside);
    }
    for (Part *P = rest(); P && Left; P = P->Next) {
      uint8_t Inside = P->Mask & Left;
      if (!Inside)
        continue;
      Left &= uint8_t(~Inside);
      P = splitOff(P, Inside);
      Apply(P->X, P->atomics(), Inside);
    }
    if (Left) {
      Part *P = addPart(Left);
      Apply(P->X, P->atomics(), Left);
    }
    merge(Mask);
  }

  /// The bytes are fresh memory.
  void forget(uint8_t Mask) {
    if (firstMask() & Mask) {
      setFirstMask(firstMask() & ~Mask);
      if (!firstMask())
        clear(First);
    }
    for (Part *P = rest(), *Previous = nullptr; P;) {
      Part *Next = P->Next;
      P->Mask &= uint8_t(~Mask);
      if (P->Mask)
        Previous = P;
      else
        removePart(P, Previous);
      P = Next;
    }
  }

  /// The bytes of Mask, which nobody has touched, get the history of X.
  void put(uint8_t Mask, const Cell &X) {
    if (!firstMask()) {
      copy(X, First);
      setFirstMask(Mask);
    } else if (areEqual(X, First)) {
      setFirstMask(firstMask() | Mask);
    } else {
      for (Part *P = rest(); P; P = P->Next)
        if (!P->Atomics && areEqual(X, P->X)) {
          P->Mask |= Mask;
          return;
        }
      copy(X, addPart(Mask)->X);
    }
  }

  /// Becomes a copy of Other, which atomics have not touched; this one is untouched before.
  void copyFrom(const Granule &Other) {
    copy(Other.First, First);
    setFirstMask(Other.firstMask());
    for (const Part *P = Other.rest(); P; P = P->Next)
      copy(P->X, addPart(P->Mask)->X);
  }
  /// Do all bytes have the same history in both? Atomics have touched neither.
  bool hasHistoryOf(const Granule &Other) const {
    unsigned Mine = 0, Theirs = 0, Common = 0;
    Other.forEach([&](uint8_t) { ++Theirs; });
    forEachCell([&](uint8_t Mask, const Cell &X, const AtomicHistory *) {
      ++Mine;
      Other.forEachCell([&](uint8_t OtherMask, const Cell &Y, const AtomicHistory *) {
        Common += Mask == OtherMask && areEqual(X, Y);
      });
    });
    return Mine == Common && Theirs == Common;
  }
  bool hasAtomics() const {
    bool Has = false;
    forEachCell([&](uint8_t, const Cell &, const AtomicHistory *A) { Has |= A != nullptr; });
    return Has;
  }

  /// Becomes what Other is, which is untouched then; this one is untouched before.
  void takeFrom(Granule &Other) {
    copy(Other.First, First);
    clear(Other.First);
    Parts.store(Other.Parts.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }

  bool isUntouched() const { return Parts.load(std::memory_order_relaxed) == 0; }

  /// Calls Visit(mask) for every part.
  template <class Fn> void forEach(Fn &&Visit) const {
    forEachCell([&](uint8_t Mask, const Cell &, const AtomicHistory *) { Visit(Mask); });
  }
  /// Calls Visit(mask, Cell, AtomicHistory or null) for every part.
  template <class Fn> void forEachCell(Fn &&Visit) const {
    if (firstMask())
      Visit(firstMask(), First, nullptr);
    for (const Part *P = rest(); P; P = P->Next)
      Visit(P->Mask, P->X, static_cast<const AtomicHistory *>(P->Atomics));
  }

private:
  struct Part {
    Cell X;
    AtomicHistory *Atomics = nullptr;
    Part *Next = nullptr;
    uint8_t Mask = 0;

    ~Part() {
      if (!Atomics)
        return;
      Atomics->~AtomicHistory();
      host::release(Atomics, sizeof(AtomicHistory));
    }
    AtomicHistory &atomics() {
      if (!Atomics)
        Atomics = new (host::allocate(sizeof(AtomicHistory))) AtomicHistory();
      return *Atomics;
    }
  };

  /// access, where there are several parts, or one has to be split.
  template <class SameFn, class Fn>
  __attribute__((noinline)) void accessParts(uint8_t Mask, SameFn &&IsSame, Fn &&Apply) {
    uint8_t Left = Mask, Changed = 0;
    uint8_t Inside = firstMask() & Mask;
    Left &= uint8_t(~Inside);
    if (Inside && !IsSame(First)) {
      Changed = Inside;
      // What is accessed now stays in First, where it will be found without the lock.
      if (Inside != firstMask()) {
        Part *Others = addPart(firstMask() & uint8_t(~Inside));
        copy(First, Others->X);
        setFirstMask(Inside);
      }
      Apply(First, nullptr, Inside);
    }
    for (Part *P = rest(), *Previous = nullptr; P && Left;) {
      Inside = P->Mask & Left;
      Left &= uint8_t(~Inside);
      // With atomics there is their history to compare with, too.
      if (Inside && (P->Atomics || !IsSame(P->X))) {
        Changed |= Inside;
        P = accessPart(P, Inside, Apply);
      }
      Part *Next = P->Next;
      if (P->Mask)
        Previous = P;
      else
        removePart(P, Previous);
      P = Next;
    }
    if (Left)
      touch(Left, Apply);
    merge(Changed | Left);
  }

  /// Applies an access to the bytes Inside of P. The part that has them afterwards; P, if that is
  /// First, which may leave P without any.
  template <class Fn> Part *accessPart(Part *P, uint8_t Inside, Fn &&Apply) {
    if (P->Atomics || P->X.read().isShared()) { // too much to copy for a try
      P = splitOff(P, Inside);
      Apply(P->X, P->Atomics, Inside);
      return P;
    }
    Cell Fresh;
    copy(P->X, Fresh);
    Apply(Fresh, nullptr, Inside);
    // In a sweep byte by byte, the neighbour has had the same access just before.
    if (firstMask() && areEqual(Fresh, First)) {
      setFirstMask(firstMask() | Inside);
      P->Mask &= uint8_t(~Inside);
      return P;
    }
    P = splitOff(P, Inside);
    copy(Fresh, P->X);
    return P;
  }

  // Whoever owns the granule owns its cells.
  static void copy(const Cell &From, Cell &To) {
    From.assertOwned();
    To.assertOwned();
    To.copyFrom(From);
  }
  static void clear(Cell &X) {
    X.assertOwned();
    X.reset();
  }
  static bool areEqual(const Cell &A, const Cell &B) {
    A.assertOwned();
    B.assertOwned();
    return A.sameHistory(B);
  }

  //  63       52 51                         8 7       0
  // +-----------+----------------------------+---------+
  // |     0     | address of Rest / 16       | mask    |   Parts
  // +-----------+----------------------------+---------+
  uint8_t firstMask() const { return uint8_t(Parts.load(std::memory_order_relaxed)); }
  Part *rest() const {
    return reinterpret_cast<Part *>(Parts.load(std::memory_order_relaxed) >> 8 << 4);
  }
  void setFirstMask(unsigned Mask) {
    // Release: see the discipline above.
    Parts.store((Parts.load(std::memory_order_relaxed) & ~uint64_t(0xff)) | uint8_t(Mask),
                std::memory_order_release);
  }
  void setRest(Part *P) {
    auto Where = reinterpret_cast<uintptr_t>(P);
    assert(Where % 16 == 0 && Where >> 48 == 0 && "memory beyond 48 bits");
    Parts.store(uint64_t(Where) << 4 | firstMask(), std::memory_order_release);
  }

  Part *addPart(uint8_t Mask) {
    Part *P = new (host::allocate(sizeof(Part))) Part();
    P->Mask = Mask;
    P->Next = rest();
    setRest(P);
    return P;
  }
  /// Previous comes before P, or is null if P is the first of the rest.
  void removePart(Part *P, Part *Previous) {
    if (Previous)
      Previous->Next = P->Next;
    else
      setRest(P->Next);
    deletePart(P);
  }
  static void deletePart(Part *P) {
    P->~Part();
    host::release(P, sizeof(Part));
  }
  void dropRest() {
    for (Part *P = rest(); P;) {
      Part *Next = P->Next;
      deletePart(P);
      P = Next;
    }
  }

  /// A part with exactly the bytes Inside of P's. It stands right behind P, if P has others.
  static Part *splitOff(Part *P, uint8_t Inside) {
    if (P->Mask == Inside)
      return P;
    Part *New = new (host::allocate(sizeof(Part))) Part();
    New->Mask = Inside;
    copy(P->X, New->X);
    if (P->Atomics)
      New->atomics().copyFrom(*P->Atomics);
    New->Next = P->Next;
    P->Next = New;
    P->Mask &= uint8_t(~Inside);
    return New;
  }

  /// The first access to the bytes of Mask.
  template <class Fn> void touch(uint8_t Mask, Fn &&Apply) {
    if (!firstMask()) {
      Apply(First, nullptr, Mask);
      setFirstMask(Mask);
      return;
    }
    // Most often the neighbour has had the same access just before: then no part is needed.
    Cell Fresh;
    Apply(Fresh, nullptr, Mask);
    if (areEqual(Fresh, First)) {
      setFirstMask(firstMask() | Mask);
      return;
    }
    Part *P = addPart(Mask);
    copy(Fresh, P->X);
  }

  /// Makes one part of any two with the same history. Only parts with bytes of Changed can have
  /// become equal to others.
  void merge(uint8_t Changed) {
    if (!rest() || !Changed)
      return;
    if (!firstMask()) // First is reset: the rest may move in
      for (Part *P = rest(), *Previous = nullptr; P; Previous = P, P = P->Next)
        if (!P->Atomics) {
          copy(P->X, First);
          uint8_t Mask = P->Mask;
          removePart(P, Previous);
          setFirstMask(Mask);
          break;
        }
    for (Part *P = rest(), *Previous = nullptr; P;) {
      Part *Next = P->Next;
      if (mergeInto(P, Changed))
        removePart(P, Previous);
      else
        Previous = P;
      P = Next;
    }
  }
  /// Gives the bytes of P to an equal part that stands before it, if there is one.
  bool mergeInto(const Part *P, uint8_t Changed) {
    if (P->Atomics)
      return false;
    if (firstMask() && (firstMask() | P->Mask) & Changed && areEqual(First, P->X)) {
      setFirstMask(firstMask() | P->Mask);
      return true;
    }
    for (Part *Q = rest(); Q != P; Q = Q->Next)
      if (!Q->Atomics && (Q->Mask | P->Mask) & Changed && areEqual(Q->X, P->X)) {
        Q->Mask |= P->Mask;
        return true;
      }
    return false;
  }

  std::atomic<uint64_t> Parts{0};
  Cell First;
};
static_assert(sizeof(Granule) == 40);

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

  /// Calls Visit(mask) for every part of every granule.
  template <class Fn> void forEach(Fn &&Visit) const {
    for (const Granule &G : Granules)
      G.forEach(Visit);
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

/// The rules for one plain or atomic access to the bytes of Mask of a granule.
/// OnRace(mask, Epoch First, Note, AccessKind).
template <class NoteFn, class Fn>
void checkGranule(ThreadState &T, Granule &G, uint8_t Mask, AccessKind Kind, NoteFn &&MakeNote,
                  Fn &&OnRace) {
  auto Told = [&](uint8_t Bytes) {
    return [&OnRace, Bytes](Epoch E, Note N, AccessKind K) { OnRace(Bytes, E, N, K); };
  };
  switch (Kind) {
  case AccessKind::Read: {
    auto IsSame = [&](const Cell &X) {
      return rule::readSameEpoch(T, X) || rule::readSharedSameEpoch(T, X);
    };
    return G.access(Mask, IsSame, [&](Cell &X, const AtomicHistory *A, uint8_t Bytes) {
      if (A) {
        rule::atomicReadRace(T, *A, Told(Bytes));
        if (IsSame(X))
          return;
      }
      X.assertOwned();
      rule::readSlow(T, X, MakeNote(), Told(Bytes));
    });
  }
  case AccessKind::Write: {
    auto IsSame = [&](const Cell &X) { return rule::writeSameEpoch(T, X); };
    return G.access(Mask, IsSame, [&](Cell &X, const AtomicHistory *A, uint8_t Bytes) {
      if (A) {
        rule::atomicWriteRace(T, *A, Told(Bytes));
        if (IsSame(X))
          return;
      }
      X.assertOwned();
      rule::writeSlow(T, X, MakeNote(), Told(Bytes));
    });
  }
  case AccessKind::AtomicRead:
    return G.accessAtomically(Mask, [&](Cell &X, AtomicHistory &A, uint8_t Bytes) {
      X.assertOwned();
      rule::atomicRead(T, X, A, MakeNote(), Told(Bytes));
    });
  case AccessKind::AtomicWrite:
    return G.accessAtomically(Mask, [&](Cell &X, AtomicHistory &A, uint8_t Bytes) {
      X.assertOwned();
      rule::atomicWrite(T, X, A, MakeNote(), Told(Bytes));
    });
  }
}

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_GRANULE_H
