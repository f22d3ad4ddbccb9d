//===- lockset_cache.h - Accesses that need not be looked at again ----------===//
//
// Choi et al. (choi02.txt, section 4). Most accesses repeat one that the same thread
// made a moment ago, under the same locks or fewer: a weaker access is in the history
// already, and the event can be dropped. A thread has one cache for its reads and one
// for its writes; an entry is found by location only, because of the invariant
//
//   bytes B of granule g are in t's cache for a  ⟹  ∀b ∈ B ∃p recorded: p ⊑ (b, t, L, a)
//
// where L is what t holds now. Taking a lock or joining a thread makes L grow, so the
// invariant survives; giving back a lock makes it shrink, and entries that were made
// while it was held have to go. Java's blocks nest: with the entries of each lock
// in a list, the list of the lock that is released is all there is to evict. In C,
// locks may be given back in any order (hand over hand along a list, say), so a
// release evicts the lists of that lock and of all that were taken after it:
//
//   acq(a)  w(x)  acq(b)  w(y)  rel(a)  w(z)  rel(b)
//           in a's list   in b's list   in b's list, which was emptied by rel(a)
//
// Lists are numbered by depth: 0 for entries that no lock protects, i for entries made
// when the i-th of the locks held now was the last one taken. A release at depth i
// empties all lists from i on, so that the later locks may move up by one.
//
// Programs mix sizes. An entry is for a granule of eight bytes and has two bits per
// byte: seen by plain accesses, and seen by atomic ones. Atomic accesses hold one lock
// more, so a plain entry serves an atomic access, but not the other way round.
//
// Who may do what (x is the location, owned by whoever works on it):
//
//   field          | write                               | read
//   ---------------+-------------------------------------+--------------------------
//   Slots          | the thread itself                   | anyone who owns some x
//   Granule        | the thread itself, owning x         | anyone who owns some x
//   Seen: set bits | the thread itself, owning x         | the thread itself
//   Seen: clear    | anyone who owns x; clearing too     |
//                  | much only costs a hit               |
//   lists          | the thread itself                   | the thread itself
//
// drop() is for when the thread has ended and nobody can get at its cache any more.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_LOCKSET_CACHE_H
#define PHOTOFINISH_DETECTOR_LOCKSET_CACHE_H

#include "detector/array.h"

#include <atomic>

namespace photofinish::lockset {

inline constexpr uint64_t GranuleBytes = 8;

/// The bytes [Address, Address+Size) of their granule: they must not leave it.
inline uint8_t byteMask(uint64_t Address, uint64_t Size) {
  assert(Size && Address % GranuleBytes + Size <= GranuleBytes);
  return uint8_t(((1u << Size) - 1) << Address % GranuleBytes);
}

class AccessCache {
public:
  static constexpr unsigned Entries = 256;

  AccessCache() = default;
  AccessCache(const AccessCache &) = delete;
  AccessCache &operator=(const AccessCache &) = delete;
  ~AccessCache() { drop(); }

  bool hit(uint64_t Granule, uint8_t Bytes, bool IsAtomic) const {
    // Relaxed, here and below, unless a reason is given: what other threads change is Seen,
    // and they change it while they own the location (see the table above).
    const Entry *All = Slots.load(std::memory_order_relaxed);
    if (!All)
      return false;
    const Entry &E = All[indexOf(Granule)];
    if (E.Granule.load(std::memory_order_relaxed) != Granule)
      return false;
    unsigned Seen = E.Seen.load(std::memory_order_relaxed);
    if (IsAtomic)
      Seen |= Seen >> AtomicShift;
    return (Bytes & ~Seen) == 0;
  }

  /// Depth is the list that the entry belongs to. Returns whether another location had to make
  /// room.
  bool insert(uint64_t Granule, uint8_t Bytes, bool IsAtomic, uint32_t Depth) {
    if (Depth > MaxDepth)
      return false;
    Entry *All = entries();
    uint16_t Link = uint16_t(indexOf(Granule) + 1);
    Entry &E = All[Link - 1];
    uint16_t New = uint16_t(Bytes << (IsAtomic ? AtomicShift : 0));
    bool Conflict = false;
    if (E.Granule.load(std::memory_order_relaxed) == Granule) {
      E.Seen.fetch_or(New, std::memory_order_relaxed);
    } else {
      Conflict = E.Seen.load(std::memory_order_relaxed) != 0;
      E.Seen.store(0, std::memory_order_relaxed);
      E.Granule.store(Granule, std::memory_order_relaxed);
      E.Seen.store(New, std::memory_order_relaxed);
    }
    // The deepest list is right for the older bytes of the entry, too: it goes no later than
    // the one they were in.
    if (E.IsLinked)
      unlink(E);
    link(E, Link, Depth);
    return Conflict;
  }

  /// The lock at this depth is given back: empties its list and all deeper ones. Returns how
  /// many entries went.
  unsigned evictFrom(uint32_t Depth) {
    unsigned Evicted = 0;
    for (uint32_t D = Depth; D < Lists.size(); ++D)
      while (Lists[D]) {
        Entry &E = Slots.load(std::memory_order_relaxed)[Lists[D] - 1];
        unlink(E);
        Evicted += E.Seen.exchange(0, std::memory_order_relaxed) != 0;
      }
    return Evicted;
  }

  /// Nothing is known of these bytes any more. Returns whether anything was.
  bool forget(uint64_t Granule, uint8_t Bytes) {
    // Acquire: the entries were zeroed before they were published.
    Entry *All = Slots.load(std::memory_order_acquire);
    return All && forgetIn(All[indexOf(Granule)], Granule, Bytes);
  }

  /// The same for any range.
  void forgetRange(uint64_t Address, uint64_t Size) {
    Entry *All = Slots.load(std::memory_order_acquire); // as in forget
    if (!All || !Size)
      return;
    uint64_t First = Address / GranuleBytes, Last = (Address + Size - 1) / GranuleBytes;
    auto BytesIn = [&](uint64_t Granule) {
      uint64_t Start = Granule * GranuleBytes;
      uint64_t From = Address > Start ? Address - Start : 0;
      uint64_t To = Address + Size - Start < GranuleBytes ? Address + Size - Start : GranuleBytes;
      return byteMask(From, To - From);
    };
    if (Last - First < Entries) {
      for (uint64_t Granule = First; Granule <= Last; ++Granule)
        forgetIn(All[indexOf(Granule)], Granule, BytesIn(Granule));
      return;
    }
    for (unsigned I = 0; I < Entries; ++I) {
      uint64_t Granule = All[I].Granule.load(std::memory_order_relaxed);
      if (First <= Granule && Granule <= Last)
        forgetIn(All[I], Granule, BytesIn(Granule));
    }
  }

  /// Gives the memory back.
  void drop() {
    host::release(Slots.load(std::memory_order_relaxed), Entries * sizeof(Entry));
    Slots.store(nullptr, std::memory_order_relaxed);
    Lists.clear();
  }

  /// The paper's hash: a multiplication, of which the upper bits count.
  static unsigned indexOf(uint64_t Granule) {
    return unsigned(Granule * 0x9E3779B97F4A7C15u >> 56);
  }

private:
  static constexpr unsigned AtomicShift = 8;
  static constexpr uint32_t MaxDepth = 0x7fff;

  //  15            8 7             0
  // +---------------+---------------+
  // | atomic, byte i| plain, byte i |  Seen
  // +---------------+---------------+
  struct Entry {
    std::atomic<uint64_t> Granule;
    std::atomic<uint16_t> Seen;
    uint16_t IsLinked : 1, Depth : 15; // whether it is in a list, and in which
    uint16_t Next, Previous;           // index + 1 of the neighbours there; 0: none
  };
  static_assert(Entries == 1 << 8, "indexOf takes eight bits");
  static_assert(sizeof(Entry) == 16, "a cache is one page");

  Entry *entries() {
    Entry *All = Slots.load(std::memory_order_relaxed);
    if (All)
      return All;
    All = static_cast<Entry *>(host::allocate(Entries * sizeof(Entry)));
    for (unsigned I = 0; I < Entries; ++I)
      new (&All[I]) Entry();
    Slots.store(All, std::memory_order_release); // publishes the zeroes
    return All;
  }

  static bool forgetIn(Entry &E, uint64_t Granule, uint8_t Bytes) {
    if (E.Granule.load(std::memory_order_relaxed) != Granule)
      return false;
    uint16_t Both = uint16_t(Bytes | Bytes << AtomicShift);
    return E.Seen.fetch_and(uint16_t(~Both), std::memory_order_relaxed) & Both;
  }

  void link(Entry &E, uint16_t Self, uint32_t Depth) {
    Lists.growTo(Depth + 1);
    E.Depth = uint16_t(Depth & MaxDepth);
    E.Previous = 0;
    E.Next = Lists[Depth];
    E.IsLinked = true;
    if (E.Next)
      Slots.load(std::memory_order_relaxed)[E.Next - 1].Previous = Self;
    Lists[Depth] = Self;
  }
  void unlink(Entry &E) {
    Entry *All = Slots.load(std::memory_order_relaxed);
    (E.Previous ? All[E.Previous - 1].Next : Lists[E.Depth]) = E.Next;
    if (E.Next)
      All[E.Next - 1].Previous = E.Previous;
    E.IsLinked = false;
  }

  std::atomic<Entry *> Slots{nullptr}; // made by the first insert
  Array<uint16_t> Lists;               // by depth: index + 1 of the first entry; 0: empty
};

} // namespace photofinish::lockset

#endif // PHOTOFINISH_DETECTOR_LOCKSET_CACHE_H
