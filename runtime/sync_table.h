//===- sync_table.h - The state of synchronization objects, by address ---===//
//
// A lock, barrier, channel or atomic is known by its address. A second table beside the
// shadow's root (memory.h) has an entry for every page, and for keys beyond the address space
// (runtime.h: channelFor): the objects of that page, in a few buckets. When memory is freed,
// so are the objects in it.
//
// Objects are never given back to the arena, only used again: whoever has found one takes its
// lock, and then looks whether it is still what it was.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_SYNC_TABLE_H
#define PHOTOFINISH_RUNTIME_SYNC_TABLE_H

#include "detector/spin_lock.h"
#include "detector/sync.h"

#include <new>

namespace photofinish::rt {

enum class SyncKind : uint8_t { None, Lock, Channel, Barrier, Atomic };

class SyncObject {
public:
  SpinLock Lock;
  uintptr_t Key = 0;
  SyncKind Kind = SyncKind::None;
  uint64_t Serial = 0; ///< no two objects that ever were have the same
  SyncObject *Next = nullptr;

  // One of them, by Kind; all under Lock.
  LockState &lock() { return *as<LockState>(); }
  Clock &channel() { return *as<Clock>(); }
  BarrierState &barrier() { return *as<BarrierState>(); }
  AtomicBlock &atomic() { return *as<AtomicBlock>(); }

  void begin(SyncKind NewKind);
  void end();

private:
  template <class T> T *as() {
    static_assert(sizeof(T) <= sizeof(Storage));
    return std::launder(reinterpret_cast<T *>(Storage));
  }
  alignas(8) char Storage[40];
};

class SyncTable {
public:
  void initialise();

  /// The object of that kind, its lock held; made if there is none.
  SyncObject &lockOrMake(uintptr_t Key, SyncKind Kind);
  /// The same, but null if there is none.
  SyncObject *lockIfThere(uintptr_t Key, SyncKind Kind);
  void forget(uintptr_t Key, SyncKind Kind);
  /// Every object with a key in [Start, Start+Bytes).
  void forgetRange(uintptr_t Start, size_t Bytes);

  uint64_t numLocks() const { return Locks.load(std::memory_order_relaxed); }

private:
  static constexpr unsigned PageShift = 12;
  static constexpr uint64_t IndexMask = (uint64_t(1) << 36) - 1;
  static constexpr unsigned NumBuckets = 32;
  struct Page {
    SpinLock Lock;                 // the lists
    std::atomic<uint32_t> Regions; // of the page, 1/32 each: where there may be objects
    SyncObject *Buckets[NumBuckets];
  };
  /// The regions of a page that bytes lie in, or some of them.
  static uint32_t regionsOf(uintptr_t First, uintptr_t Last) {
    constexpr unsigned RegionShift = PageShift - 5;
    return (2u << (Last >> RegionShift) % 32) - (1u << (First >> RegionShift) % 32);
  }

  std::atomic<Page *> &entryOf(uintptr_t Key) { return Root[Key >> PageShift & IndexMask]; }
  Page *pageFor(uintptr_t Key);
  static SyncObject **bucketOf(Page &P, uintptr_t Key) {
    return &P.Buckets[(Key >> 3 ^ Key >> 8) % NumBuckets];
  }
  static SyncObject *find(Page &P, uintptr_t Key, SyncKind Kind);
  SyncObject *make(uintptr_t Key, SyncKind Kind);
  void retire(SyncObject *O);

  std::atomic<Page *> *Root = nullptr;
  SpinLock PoolLock;
  SyncObject *Spares = nullptr; // under PoolLock
  uint64_t NextSerial = 1;      // under PoolLock
  std::atomic<uint64_t> Locks{0};
};

extern SyncTable TheSyncTable;

/// The atomics that a thread has used lately, which it finds without the table. What is no longer
/// what it was is looked up again.
class RecentAtomics {
public:
  /// TheSyncTable's function, for atomics.
  SyncObject &lockOrMake(uintptr_t Key) PF_NO_ANALYSIS {
    Recent &Last = Of[(Key >> 4 ^ Key >> 10) % Count];
    if (Last.Key == Key) {
      Last.Its->Lock.lock();
      if (Last.Its->Key == Key && Last.Its->Kind == SyncKind::Atomic)
        return *Last.Its;
      Last.Its->Lock.unlock();
    }
    Last = {Key, &TheSyncTable.lockOrMake(Key, SyncKind::Atomic)};
    return *Last.Its;
  }

private:
  struct Recent {
    uintptr_t Key = 0;
    SyncObject *Its = nullptr;
  };
  static constexpr unsigned Count = 64;
  Recent Of[Count];
};

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_SYNC_TABLE_H
