//===- access_log.h - Which site touched which byte --------------------------===//
//
// A compressed shadow has one cell for many bytes, and one footprint for the accesses
// of many sites. So that a report still names the line that touched just this byte,
// every thread keeps a log of its current epoch: (site, strided byte range) entries,
// written only when an access adds something to a footprint. A cell's note is the
// number of the log, and since a log belongs to one epoch, cells with equal epochs
// have equal notes: compression never suffers from exact reports.
//
// A loop that sweeps an array from one site costs one entry. A log lives as long as
// some cell mentions it; every so often the owner marks those and sweeps the rest. A
// thread that never synchronizes would fill one log for ever: when it is full, the
// owner commits the thread and restarts its log.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_ACCESS_LOG_H
#define PHOTOFINISH_SHADOW_ACCESS_LOG_H

#include "detector/array.h"
#include "detector/cell.h"

namespace photofinish {

class AccessLog {
public:
  /// [Address, Address+Size) was accessed from Site.
  void add(uint32_t Site, bool IsWrite, uint64_t Address, uint64_t Size) {
    // The sites of a loop body take turns: a few entries back is far enough.
    uint32_t Oldest = Entries.size() > 8 ? Entries.size() - 8 : 0;
    for (uint32_t I = Entries.size(); I > Oldest && I > Segment; --I) {
      if (Entries[I - 1].IsForget)
        break; // an entry before it may be dead
      if (Entries[I - 1].extend(Site, IsWrite, Address, Size))
        return;
    }
    Entries.push({Address, Size, 1, Size, Site, IsWrite, false});
  }

  /// The range is fresh memory: what was logged of it belongs to its last life.
  void forget(uint64_t Address, uint64_t Size) {
    for (uint32_t I = Entries.size(); I > 0; --I) {
      const Entry &E = Entries[I - 1];
      if (E.IsForget && E.covers(Address) && E.covers(Address + (Size - 1)))
        return; // nothing of the range since
      if (!E.IsForget && E.overlaps(Address, Size)) {
        Entries.push({Address, Size, 1, Size, 0, false, true});
        return;
      }
    }
  }

  /// For each byte of [Address, Address+Size) the site of the first access of that kind,
  /// 0 if there is none.
  void sitesOf(uint64_t Address, uint64_t Size, bool IsWrite, uint32_t *Sites) const {
    find(0, Address, Size, IsWrite, Sites);
  }
  /// The same among the accesses since beginSegment.
  void recentSitesOf(uint64_t Address, uint64_t Size, bool IsWrite, uint32_t *Sites) const {
    find(Segment, Address, Size, IsWrite, Sites);
  }
  /// What was logged so far has been committed.
  void beginSegment() { Segment = Entries.size(); }

  uint32_t size() const { return Entries.size(); }

private:
  struct Entry {
    uint64_t Address, Stride, Count, Size;
    uint32_t Site;
    bool IsWrite;
    bool IsForget; // not an access: ends what the earlier entries say of the range

    bool extend(uint32_t NewSite, bool NewIsWrite, uint64_t NewAddress, uint64_t NewSize) {
      if (Site != NewSite || IsWrite != NewIsWrite || Size != NewSize)
        return false;
      if (Count == 1) {
        uint64_t Distance = NewAddress > Address ? NewAddress - Address : Address - NewAddress;
        if (Distance < Size)
          return false;
        Stride = Distance;
        Address = NewAddress < Address ? NewAddress : Address;
      } else if (NewAddress + Stride == Address) {
        Address = NewAddress;
      } else if (NewAddress != Address + Stride * Count) {
        return false;
      }
      ++Count;
      return true;
    }
    bool covers(uint64_t Byte) const {
      uint64_t Offset = Byte - Address; // huge if Byte is below
      return Offset / Stride < Count && Offset % Stride < Size;
    }
    /// Calls Visit for the bytes that lie in [Start, Start+Bytes).
    template <class Fn> void forEachByte(uint64_t Start, uint64_t Bytes, Fn &&Visit) const {
      uint64_t Last = Start + (Bytes - 1);
      for (uint64_t K = Start > Address ? (Start - Address) / Stride : 0; K < Count; ++K) {
        uint64_t First = Address + K * Stride;
        if (First > Last)
          return;
        for (uint64_t B = First < Start ? Start : First; B - First < Size && B <= Last; ++B)
          Visit(B);
      }
    }
    /// Or might: the gaps of a stride count.
    bool overlaps(uint64_t Start, uint64_t Bytes) const {
      uint64_t Last = Address + Stride * (Count - 1) + (Size - 1);
      return Start <= Last && Address <= Start + (Bytes - 1);
    }
  };

  void find(uint32_t From, uint64_t Address, uint64_t Size, bool IsWrite, uint32_t *Sites) const {
    std::memset(Sites, 0, Size * sizeof(*Sites));
    for (uint32_t I = From; I < Entries.size(); ++I) {
      const Entry &E = Entries[I];
      if (!E.overlaps(Address, Size) || (!E.IsForget && E.IsWrite != IsWrite))
        continue;
      E.forEachByte(Address, Size, [&](uint64_t Byte) {
        uint32_t &Site = Sites[Byte - Address];
        if (E.IsForget || !Site)
          Site = E.Site;
      });
    }
  }

  Array<Entry> Entries;
  uint32_t Segment = 0;
};

/// All logs of a detector. A note is a site, or a log's number with the top bit set.
class AccessLogs {
public:
  static bool isLog(Note N) { return N >> 31; }

  /// The log of thread Now.thread() in its epoch Now, a new one if need be.
  Note current(Epoch Now) {
    ByThread.growTo(Now.thread() + 1);
    Current &C = ByThread[Now.thread()];
    if (C.Log == 0 || C.When != Now) {
      C.When = Now;
      C.Log = create();
    }
    return C.Log;
  }
  /// Has thread's log of this epoch become so long that it should be restarted?
  bool isFull(Epoch Now) { return (*this)[current(Now)].size() >= MaxEntries; }
  /// The thread's next access opens a new log. Nothing may be pending.
  void restart(uint32_t Thread) { ByThread[Thread].Log = 0; }

  AccessLog &operator[](Note N) { return *Slots[N & ~LogBit].Log; }

  /// The range is fresh memory. Only logs that go on can mix up its lives.
  void forget(uint64_t Address, uint64_t Size) {
    for (const Current &C : ByThread)
      if (C.Log)
        (*this)[C.Log].forget(Address, Size);
  }

  /// For each byte of a range the site that N stands for there.
  void sitesOf(Note N, uint64_t Address, uint64_t Size, bool IsWrite, uint32_t *Sites) {
    if (isLog(N))
      return (*this)[N].sitesOf(Address, Size, IsWrite, Sites);
    for (uint64_t I = 0; I < Size; ++I)
      Sites[I] = N;
  }
  /// The same for the access that is being committed now.
  void recentSitesOf(Note N, uint64_t Address, uint64_t Size, bool IsWrite, uint32_t *Sites) {
    if (isLog(N))
      return (*this)[N].recentSitesOf(Address, Size, IsWrite, Sites);
    sitesOf(N, Address, Size, IsWrite, Sites);
  }

  /// Is it time to mark and sweep, given that marking visits that many cells?
  bool wantsSweep(uint64_t Cells) const { return Created > 1024 + Live + Cells / 4; }
  void mark(Note N) {
    if (isLog(N))
      Slots[N & ~LogBit].Marked = true;
  }
  void mark(const Cell &X) {
    X.assertOwned();
    mark(X.readNote());
    mark(X.writeNote());
    if (X.read().isShared())
      X.reads().forEach([&](Epoch, Note N) { mark(N); });
  }
  /// Drops every log that is neither marked nor current.
  void sweep() {
    for (const Current &C : ByThread)
      mark(C.Log);
    Live = 0;
    for (uint32_t I = 0; I < Slots.size(); ++I) {
      if (!Slots[I].Marked && Slots[I].Log) {
        destroy(Slots[I].Log);
        Slots[I].Log = nullptr;
        Free.push(I);
      }
      Live += Slots[I].Log != nullptr;
      Slots[I].Marked = false;
    }
    Created = 0;
  }

  AccessLogs() = default;
  AccessLogs(const AccessLogs &) = delete;
  AccessLogs &operator=(const AccessLogs &) = delete;
  ~AccessLogs() {
    for (Slot &S : Slots)
      if (S.Log)
        destroy(S.Log);
  }

private:
  static constexpr Note LogBit = Note(1) << 31;
  static constexpr uint32_t MaxEntries = 1 << 16;
  struct Slot {
    AccessLog *Log;
    bool Marked;
  };
  struct Current {
    Epoch When;
    Note Log = 0;
  };

  Note create() {
    auto *Log = new (host::allocate(sizeof(AccessLog))) AccessLog();
    ++Created;
    if (Free.empty()) {
      Slots.push({Log, false});
      return LogBit | (Slots.size() - 1);
    }
    uint32_t I = Free.back();
    Free.pop();
    Slots[I] = {Log, false};
    return LogBit | I;
  }
  static void destroy(AccessLog *Log) {
    Log->~AccessLog();
    host::release(Log, sizeof(AccessLog));
  }

  Array<Slot> Slots;
  Array<uint32_t> Free;
  Array<Current> ByThread;
  uint64_t Created = 0; // since the last sweep
  uint64_t Live = 0;    // after the last sweep
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_ACCESS_LOG_H
