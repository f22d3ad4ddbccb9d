//===- cell.h - The shadow state of one location ---------------------------===//
//
// A cell is VerifiedFT's VarState: the epoch W of the last write, and the reads as
// either one epoch R, while they are totally ordered, or R = SHARED and a clock V
// with the last read of each thread (verifiedft.txt, section 3).
//
// Beside every epoch a cell keeps a note of where the access came from, so that a
// report can name both sides. What a note means is its owner's business: the fine
// shadows store the site, the compressed ones the log that tells sites apart.
//
// Synchronization discipline, as in verifiedft.txt, section 5. "x" is the cell's lock.
//
//   field  | write                        | read
//   -------+------------------------------+------------------------------------------
//   W      | holding x                    | anyone, at any time
//   R      | holding x; never again once  | anyone, at any time
//          | it is SHARED                 |
//   V      | holding x                    | holding x; once R is SHARED, anyone
//   V[t]   | thread t, holding x (while R | holding x, or thread t itself once R is
//          | isn't SHARED: anyone with x) | SHARED
//   notes  | holding x                    | holding x
//
// Whoever owns a cell in another way (a single-threaded analysis; the lock of the
// page or array that the cell belongs to) says so with assertOwned and takes no lock.
// FastTrack's [WRITE SHARED] takes SHARED back (forgetReads): only for such owners.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_CELL_H
#define PHOTOFINISH_DETECTOR_CELL_H

#include "detector/clock.h"
#include "detector/spin_lock.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <new>

namespace photofinish {

using Note = uint64_t;

enum class AccessKind : uint8_t { Read, Write, AtomicRead, AtomicWrite };
inline bool isWrite(AccessKind K) { return K == AccessKind::Write || K == AccessKind::AtomicWrite; }
inline bool isAtomic(AccessKind K) {
  return K == AccessKind::AtomicRead || K == AccessKind::AtomicWrite;
}

/// The last access of every thread: VarState's V, with notes. A table that was
/// outgrown stays readable until the whole clock goes, because its thread may be in
/// the middle of looking itself up: sizes double, so that this wastes at most as much again.
class AccessClock {
public:
  AccessClock() = default;
  AccessClock(const AccessClock &) = delete;
  AccessClock &operator=(const AccessClock &) = delete;
  ~AccessClock() { clear(); }

  uint64_t get(uint32_t Thread) const {
    // Acquire: the table's entries were written before it was published.
    const Table *T = Current.load(std::memory_order_acquire);
    // Relaxed: only Thread itself writes its entry, or whoever owns the cell.
    return T && Thread < T->Size ? T->entries()[Thread].Clock.load(std::memory_order_relaxed) : 0;
  }

  void set(Epoch E, Note N) {
    Entry &Slot = reserve(E.thread() + 1)->entries()[E.thread()];
    Slot.N = N;
    Slot.Clock.store(E.clock(), std::memory_order_relaxed);
  }

  /// Calls Visit(Epoch, Note) for every thread that has an access recorded.
  template <class Fn> void forEach(Fn &&Visit) const {
    const Table *T = Current.load(std::memory_order_relaxed);
    for (uint32_t I = 0; T && I < T->Size; ++I)
      if (uint64_t C = T->entries()[I].Clock.load(std::memory_order_relaxed))
        Visit(Epoch(I, C), T->entries()[I].N);
  }

  bool isBottom() const { return !Current.load(std::memory_order_relaxed); }

  void clear() {
    Table *T = Current.exchange(nullptr, std::memory_order_relaxed);
    while (T) {
      Table *Older = T->Older;
      host::release(T, T->bytes());
      T = Older;
    }
  }

  void copyFrom(const AccessClock &Other) {
    clear();
    Other.forEach([&](Epoch E, Note N) { set(E, N); });
  }

  bool operator==(const AccessClock &Other) const {
    const Table *A = Current.load(std::memory_order_relaxed);
    const Table *B = Other.Current.load(std::memory_order_relaxed);
    uint32_t Size = std::max(A ? A->Size : 0, B ? B->Size : 0);
    for (uint32_t I = 0; I < Size; ++I)
      if (uint64_t C = get(I); C != Other.get(I) || (C && A->entries()[I].N != B->entries()[I].N))
        return false;
    return true;
  }

private:
  struct Entry {
    std::atomic<uint64_t> Clock;
    Note N;
  };
  struct Table {
    Table *Older;
    uint32_t Size;
    Entry *entries() { return reinterpret_cast<Entry *>(this + 1); }
    const Entry *entries() const { return reinterpret_cast<const Entry *>(this + 1); }
    size_t bytes() const { return sizeof(Table) + Size * sizeof(Entry); }
  };
  static_assert(sizeof(Table) == 16 && sizeof(Entry) == 16);

  Table *reserve(uint32_t Size) {
    Table *Old = Current.load(std::memory_order_relaxed);
    if (Old && Size <= Old->Size)
      return Old;
    uint32_t NewSize = Old && Old->Size * 2 > Size ? Old->Size * 2 : (Size < 2 ? 2 : Size);
    auto *New = static_cast<Table *>(host::allocate(sizeof(Table) + NewSize * sizeof(Entry)));
    New->Older = Old;
    New->Size = NewSize;
    for (uint32_t I = 0; Old && I < Old->Size; ++I) {
      New->entries()[I].N = Old->entries()[I].N;
      New->entries()[I].Clock.store(Old->entries()[I].Clock.load(std::memory_order_relaxed),
                                    std::memory_order_relaxed);
    }
    Current.store(New, std::memory_order_release); // publishes the entries
    return New;
  }

  std::atomic<Table *> Current{nullptr};
};

/// Four words, because there is one for every few bytes of the program: W, R, two notes.
/// V is rare, and R has no other use once there is one: then it says where V is.
class PF_CAPABILITY("cell") Cell {
public:
  Cell() = default;
  Cell(const Cell &) = delete;
  Cell &operator=(const Cell &) = delete;
  ~Cell() { dropClock(); }

  Epoch read() const {
    // Acquire: SHARED in R promises that V has been built.
    Epoch E = Epoch::fromBits(R.load(std::memory_order_acquire));
    return E.isShared() ? Epoch::shared() : E;
  }
  /// read() == Now, for an epoch that is not SHARED: the test that most reads end with.
  bool isReadAt(Epoch Now) const { return R.load(std::memory_order_acquire) == Now.bits(); }
  bool isReadShared() const { return read().isShared(); }
  bool isWrittenAt(Epoch Now) const { return write() == Now; }
  Epoch write() const { return Epoch::fromBits(W.load(std::memory_order_relaxed)); }
  bool isWriteBefore(const Clock &V) const { return V.covers(write()); }
  /// Not for SHARED.
  bool isReadBefore(const Clock &V) const { return V.covers(read()); }
  uint64_t lastReadOf(uint32_t Thread) const {
    const AccessClock *V = clock();
    return V ? V->get(Thread) : 0;
  }

  Note readNote() const PF_REQUIRES(this) { return ReadNote; }
  Note writeNote() const PF_REQUIRES(this) { return WriteNote; }
  /// V. Only while R is SHARED.
  const AccessClock &reads() const PF_REQUIRES(this) {
    assert(clock() && "there is no V");
    return *clock();
  }

  void setWrite(Epoch E, Note N) PF_REQUIRES(this) {
    WriteNote = N;
    W.store(E.bits(), std::memory_order_relaxed);
  }
  void setRead(Epoch E, Note N) PF_REQUIRES(this) {
    ReadNote = N;
    R.store(E.bits(), std::memory_order_relaxed);
  }
  /// R becomes SHARED: the read it held so far and Second are the first two of V.
  void share(Epoch Second, Note N) PF_REQUIRES(this) {
    AccessClock *V = newClock();
    V->set(read(), ReadNote);
    V->set(Second, N);
    publish(V);
  }
  void setSharedRead(Epoch E, Note N) PF_REQUIRES(this) { clock()->set(E, N); }
  void forgetReads() PF_REQUIRES(this) {
    dropClock();
    setRead(Epoch::bottom(), 0);
  }

  /// Back to a location that nobody has touched.
  void reset() PF_REQUIRES(this) {
    forgetReads();
    setWrite(Epoch::bottom(), 0);
  }
  bool isUntouched() const { return read().isBottom() && write().isBottom(); }

  void copyFrom(const Cell &Other) PF_REQUIRES(this, Other) {
    forgetReads();
    if (const AccessClock *Shared = Other.clock()) {
      AccessClock *V = newClock();
      V->copyFrom(*Shared);
      publish(V);
    } else {
      setRead(Other.read(), Other.ReadNote);
    }
    setWrite(Other.write(), Other.WriteNote);
  }
  /// The same epochs and notes: neither a rule nor a report can tell the cells apart.
  bool sameHistory(const Cell &Other) const PF_REQUIRES(this, Other) {
    return write() == Other.write() && read() == Other.read() && WriteNote == Other.WriteNote &&
           (read().isShared() ? *clock() == *Other.clock() : ReadNote == Other.ReadNote);
  }

  /// The caller owns this cell without a lock of its own; see above.
  void assertOwned() const PF_ASSERT_HELD(this) {}

private:
  AccessClock *clock() const {
    Epoch E = Epoch::fromBits(R.load(std::memory_order_acquire)); // as in read()
    return E.isShared() ? reinterpret_cast<AccessClock *>(E.clock() << 4) : nullptr;
  }
  static AccessClock *newClock() { return new (host::allocate(sizeof(AccessClock))) AccessClock(); }
  void publish(AccessClock *V) {
    auto Where = reinterpret_cast<uintptr_t>(V);
    assert(Where % 16 == 0 && Where >> 4 <= Epoch::MaxClock && "memory beyond 48 bits");
    R.store(Epoch(Epoch::MaxThread + 1, Where >> 4).bits(), std::memory_order_release);
  }
  void dropClock() {
    if (AccessClock *V = clock()) {
      V->~AccessClock();
      host::release(V, sizeof(AccessClock));
    }
  }

  std::atomic<uint64_t> W{0};
  std::atomic<uint64_t> R{0};
  Note WriteNote = 0;
  Note ReadNote = 0;
};
static_assert(sizeof(Cell) == 32);

/// A cell with the lock "x" of the discipline above.
class LockedCell : public Cell {
public:
  void lock() PF_ACQUIRE(this) PF_NO_ANALYSIS { Held.lock(); }
  void unlock() PF_RELEASE(this) PF_NO_ANALYSIS { Held.unlock(); }

private:
  SpinLock Held;
};

class PF_SCOPED_CAPABILITY CellLock {
public:
  explicit CellLock(LockedCell &X) PF_ACQUIRE(X) : X(X) { X.lock(); }
  ~CellLock() PF_RELEASE() { X.unlock(); }
  CellLock(const CellLock &) = delete;
  CellLock &operator=(const CellLock &) = delete;

private:
  LockedCell &X;
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_CELL_H
