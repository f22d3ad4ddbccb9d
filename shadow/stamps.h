//===- stamps.h - An access, as a number ---------------------------------------===//
//
// What a shadow remembers of an access is when it was, an epoch, and where, a note: two words.
// But a thread makes many accesses in one epoch at one place, and memory that it touches there has
// that in common. So both are stored once, and the shadow has their number: a *stamp*, of 27 bits,
// which leaves a history that fits into a word (shadow/granule.h), is copied by an assignment and
// compared by ==.
//
//   stamp   12 -> 1@5, note 77        13 -> 1@5, note 78        ...
//   reads   a stamp; or a set of stamps, one for each thread, once threads have read without order
//
// A set of reads has a number, too, and never changes: what it becomes by another read is another
// set, and the same one for all memory that the thread reads at that place.
//
// Stamps are given out in chunks, each to one thread: where even the last epoch of a chunk is
// ordered before somebody, all its accesses are, and nobody looks at them one by one.
//
// Nothing counts who refers to a stamp. Now and then everything that does is gone through while
// nobody else is at work (Collection): what somebody has gets a new number, in chunks of their own,
// and all other chunks are used again.
//
// Who may do what:
//
//   field         | write                               | read
//   --------------+-------------------------------------+----------------------------------------
//   Entry         | the thread that has the chunk,      | whoever has read the stamp from where it
//                 | before anybody has the stamp        | was published; When: anyone, for whom a
//                 |                                     | stamp that is gone is an epoch not his
//                 own
//   LastOf        | the thread that has the chunk       | as an Entry
//   Set           | the thread that has the number,     | whoever has read the number from where it
//                 | before anybody else has             | was published
//   all else      | holding Lock                        | holding Lock
//   all           | a Collection, while nobody else is at work; and then no Stamper has any
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_STAMPS_H
#define PHOTOFINISH_SHADOW_STAMPS_H

#include "detector/cell.h"
#include "shadow/line.h"

#include <utility>

namespace photofinish {

/// 0: there was no access.
using Stamp = uint32_t;
/// A stamp, or Stamps::Shared and the number of a set.
using Reads = uint32_t;

class Stamps {
public:
  static constexpr unsigned Bits = 27;
  static constexpr Reads Shared = Reads(1) << Bits;

  constexpr Stamps() = default;
  Stamps(const Stamps &) = delete;
  Stamps &operator=(const Stamps &) = delete;
  ~Stamps() {
    if (!Entries)
      return;
    restart();
    host::unreserve(Entries, AllBytes);
  }

  /// Before anything else. False if there is no address space for it.
  bool initialise() {
    auto *Next = static_cast<char *>(host::reserve(AllBytes));
    if (!Next)
      return false;
    auto Take = [&](size_t Bytes) { return std::exchange(Next, Next + Bytes); };
    Entries = reinterpret_cast<Entry *>(Take(EntriesBytes));
    LastOf = reinterpret_cast<std::atomic<uint64_t> *>(Take(LastBytes));
    NewOf = reinterpret_cast<Stamp *>(Take(NewBytes));
    SetAt = reinterpret_cast<Set **>(Take(SetsBytes));
    IsSetMarked = reinterpret_cast<bool *>(Take(MaxSets));
    return true;
  }

  /// As if nobody had asked for any.
  void restart() {
    for (uint32_t Number = 1; Number < NumSets; ++Number) {
      release(SetAt[Number]);
      SetAt[Number] = nullptr;
    }
    host::use(-ptrdiff_t(bytes()));
    NumChunks = NumSets = 1;
    FreeChunks.clear();
    FreeSets.clear();
    TakenSince = 0;
    Threshold = MinThreshold = FirstThreshold;
    Collections = NumLiveSets = 0;
  }

  Epoch epochOf(Stamp S) const {
    // Acquire: for those who look again where they had the stamp from (shadow/granule.h).
    return Epoch::fromBits(Entries[S].When.load(std::memory_order_acquire));
  }
  Note noteOf(Stamp S) const { return Entries[S].Where; }
  /// Was the access at Now, which is its thread's latest epoch?
  bool isAt(Stamp S, Epoch Now) const {
    // Nearly always it was not, and then its chunk knows that.
    return LastOf[S / PerChunk].load(std::memory_order_relaxed) == Now.bits() && epochOf(S) == Now;
  }
  bool isBefore(Stamp S, const Clock &V) const {
    // Relaxed: whoever has the stamp has seen what was stored before it was published.
    return V.covers(Epoch::fromBits(LastOf[S / PerChunk].load(std::memory_order_relaxed))) ||
           V.covers(epochOf(S));
  }

  static bool isShared(Reads R) { return R & Shared; }
  /// Calls Visit(Stamp) for every read.
  template <class Fn> void forEachRead(Reads R, Fn &&Visit) const {
    if (!isShared(R))
      return R ? Visit(R) : void();
    const Set &S = *SetAt[R - Shared];
    for (uint32_t I = 0; I < S.Count; ++I)
      Visit(S.Of[I]);
  }
  /// Are they the same reads? Sets that threads have made each by itself may have two numbers.
  bool areEqual(Reads A, Reads B) const {
    if (A == B || !isShared(A) || !isShared(B))
      return A == B;
    const Set &X = *SetAt[A - Shared], &Y = *SetAt[B - Shared];
    return X.Count == Y.Count && !std::memcmp(X.Of, Y.Of, X.Count * sizeof(Stamp));
  }

  /// Goes through everything that refers to stamps: all of it is told the new number. Nobody else
  /// is at work until it ends.
  class Collection {
  public:
    explicit Collection(Stamps &All) : All(All) { All.begin(); }
    Collection(const Collection &) = delete;
    Collection &operator=(const Collection &) = delete;
    ~Collection() { All.sweep(); }

    /// The new number of a stamp that is kept.
    Stamp keep(Stamp S) {
      if (!S)
        return 0;
      Stamp &New = All.NewOf[S];
      if (!New)
        New = move(S);
      return New;
    }
    Reads keepReads(Reads R) {
      if (!isShared(R))
        return keep(R);
      if (!All.IsSetMarked[R - Shared]) {
        All.IsSetMarked[R - Shared] = true;
        Set &S = *All.SetAt[R - Shared];
        for (uint32_t I = 0; I < S.Count; ++I)
          S.Of[I] = keep(S.Of[I]);
      }
      return R;
    }

  private:
    /// To a chunk that only has stamps of the same thread.
    Stamp move(Stamp S) {
      const Entry &Old = All.Entries[S];
      Epoch When = All.epochOf(S);
      NextOf.growTo(When.thread() + 1);
      Stamp &Next = NextOf[When.thread()];
      if (Next % PerChunk == 0)
        Next = All.takeKept();
      All.put(Next, When, Old.Where);
      return Next++;
    }

    Stamps &All;
    Array<Stamp> NextOf; // by thread
  };
  /// Is it time for one?
  bool wantsCollection() const {
    return TakenSince.load(std::memory_order_relaxed) >= Threshold.load(std::memory_order_relaxed);
  }
  /// For tests: always.
  void collectAlways() { Threshold = MinThreshold = 0; }
  /// For stats.
  uint64_t bytes() const { return uint64_t(NumChunks - 1) * PerChunk * sizeof(Entry); }
  uint64_t numCollections() const { return Collections; }
  uint32_t numSets() const { return NumLiveSets; }

private:
  friend class Stamper;

  struct Entry {
    std::atomic<uint64_t> When; // an epoch
    Note Where;
  };
  /// In the order of their threads.
  struct Set {
    uint32_t Count, Room;
    Stamp Of[2];
  };

  static constexpr uint32_t PerChunk = 256, FirstThreshold = 512;
  static constexpr uint32_t MaxChunks = (uint32_t(1) << Bits) / PerChunk;
  static constexpr uint32_t MaxSets = uint32_t(1) << Bits, SetsAtOnce = 64;
  static constexpr size_t EntriesBytes = size_t(MaxChunks) * PerChunk * sizeof(Entry);
  static constexpr size_t NewBytes = size_t(MaxChunks) * PerChunk * sizeof(Stamp);
  static constexpr size_t LastBytes = size_t(MaxChunks) * sizeof(uint64_t);
  static constexpr size_t SetsBytes = size_t(MaxSets) * sizeof(Set *);
  static constexpr size_t AllBytes = EntriesBytes + LastBytes + NewBytes + SetsBytes + MaxSets;

  // Chunks.

  /// A chunk for one thread: its first stamp.
  Stamp takeChunk() {
    Locked Guard(Lock);
    TakenSince.fetch_add(1, std::memory_order_relaxed);
    return take();
  }
  Stamp take() {
    uint32_t Chunk;
    if (!FreeChunks.empty()) {
      Chunk = FreeChunks.back();
      FreeChunks.pop();
    } else {
      host::use(PerChunk * sizeof(Entry));
      Chunk = NumChunks++;
      if (Chunk == MaxChunks)
        host::giveUp("more than 2^27 different accesses have to be remembered at once");
    }
    LastOf[Chunk].store(0, std::memory_order_relaxed);
    return Chunk * PerChunk;
  }
  void put(Stamp S, Epoch When, Note Where) {
    Entries[S].Where = Where;
    Entries[S].When.store(When.bits(), std::memory_order_relaxed);
    // Those of one thread compare as numbers.
    if (auto &Last = LastOf[S / PerChunk]; Last.load(std::memory_order_relaxed) < When.bits())
      Last.store(When.bits(), std::memory_order_relaxed);
  }

  // Collections.

  void begin() { Kept.clear(); }
  Stamp takeKept() {
    Stamp First = take();
    Kept.push(First / PerChunk);
    return First;
  }
  void sweep() {
    ++Collections;
    // All chunks are free but those that are kept.
    if (size_t Used = size_t(NumChunks) * PerChunk * sizeof(Stamp); Used < (1u << 20))
      std::memset(NewOf, 0, Used);
    else
      host::discard(NewOf, Used);
    Array<bool> IsKept;
    IsKept.growTo(NumChunks);
    for (uint32_t Chunk : Kept)
      IsKept[Chunk] = true;
    FreeChunks.clear();
    for (uint32_t Chunk = NumChunks; --Chunk;)
      if (!IsKept[Chunk])
        FreeChunks.push(Chunk);
    TakenSince.store(0, std::memory_order_relaxed);
    Threshold.store(Kept.size() > MinThreshold ? Kept.size() : MinThreshold,
                    std::memory_order_relaxed);
    sweepSets();
  }

  // Sets of reads.

  static size_t bytesOf(uint32_t Room) { return sizeof(Set) + (Room - 2) * sizeof(Stamp); }
  static Set *makeSet(uint32_t Room) {
    auto *S = static_cast<Set *>(host::allocate(bytesOf(Room)));
    S->Room = Room;
    return S;
  }
  static void release(Set *S) {
    if (S)
      host::release(S, bytesOf(S->Room));
  }
  /// Numbers for a thread's next sets.
  void takeSets(Array<uint32_t> &Numbers) {
    Locked Guard(Lock);
    TakenSince.fetch_add(1, std::memory_order_relaxed); // as much memory as a chunk, about
    for (uint32_t I = 0; I < SetsAtOnce; ++I)
      if (!FreeSets.empty()) {
        Numbers.push(FreeSets.back());
        FreeSets.pop();
      } else {
        if (NumSets == MaxSets)
          host::giveUp("more than 2^27 different sets of readers have to be remembered at once");
        Numbers.push(NumSets++);
      }
  }
  void sweepSets() {
    NumLiveSets = 0;
    FreeSets.clear();
    for (uint32_t Number = NumSets; --Number;) {
      NumLiveSets += IsSetMarked[Number];
      if (!IsSetMarked[Number]) {
        release(SetAt[Number]);
        SetAt[Number] = nullptr;
        FreeSets.push(Number);
      }
      IsSetMarked[Number] = false;
    }
  }

  Entry *Entries = nullptr;                // by stamp
  std::atomic<uint64_t> *LastOf = nullptr; // by chunk: the epoch of its last stamp
  Set **SetAt = nullptr;                   // by number, from 1 on; null: free
  Stamp *NewOf = nullptr;                  // during a Collection: by stamp; 0: not kept so far
  bool *IsSetMarked = nullptr;             // and by set

  SpinLock Lock;
  uint32_t NumChunks = 1; // 0 has the stamp that is none
  Array<uint32_t> FreeChunks, Kept;
  uint32_t NumSets = 1, NumLiveSets = 0; // the latter at the last collection
  Array<uint32_t> FreeSets;
  std::atomic<uint32_t> TakenSince{0}; // chunks since the last collection
  std::atomic<uint32_t> Threshold{FirstThreshold};
  uint32_t MinThreshold = FirstThreshold;
  uint64_t Collections = 0;
};

/// What a thread has of them. It belongs to its thread, or to whoever has stopped it.
class Stamper {
public:
  explicit Stamper(Stamps &All) : All(All) {}

  Stamps &all() { return All; }

  /// The stamp of an access at the thread's epoch. Its place is two numbers, and NoteOf(), which is
  /// asked if they are new.
  template <class NoteFn>
  PF_INLINE Stamp stampFor(Epoch Now, uint64_t Place, uint32_t Inside, NoteFn &&NoteOf) {
    if (Now != At) {
      At = Now;
      forgetPlaces();
    }
    Made &Last =
        Recent[(Place + Inside * UINT64_C(31)) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - RecentBits)];
    if (__builtin_expect(Last.In != Round || Last.Place != Place || Last.Inside != Inside, false))
      Last = {Place, Inside, Round, make(Now, NoteOf())};
    return Last.S;
  }
  Stamp stampFor(Epoch Now, Note N) {
    return stampFor(Now, N, 0, [&] { return N; });
  }
  /// The same numbers are another place from now on.
  void forgetPlaces() {
    if (!++Round)
      forgetRecent();
  }
  /// R, with the thread of S having read last at S.
  Reads withRead(Reads R, Stamp S) {
    Step &Known = Steps[(R * UINT64_C(0x9E3779B97F4A7C15) + S) % NumSteps];
    if (!Known.To || Known.From != R || Known.By != S)
      Known = {R, S, makeSet(R, S)};
    return Known.To;
  }

  /// After a collection: it has no stamps.
  void forgetAll() {
    Next = 0;
    OwnSets.clear();
    forgetRecent();
    std::memset(static_cast<void *>(Steps), 0, sizeof(Steps));
  }

private:
  struct Made {
    uint64_t Place;
    uint32_t Inside;
    uint32_t In; // which Round
    Stamp S;
  };
  struct Step {
    Reads From;
    Stamp By;
    Reads To;
  };
  static constexpr unsigned RecentBits = 8, NumSteps = 256;

  Reads makeSet(Reads R, Stamp S) {
    uint32_t Thread = All.epochOf(S).thread(), Room = 1;
    All.forEachRead(R, [&](Stamp) { ++Room; });
    Stamps::Set *New = Stamps::makeSet(Room);
    auto Add = [&](Stamp Read) { New->Of[New->Count++] = Read; };
    bool IsThere = false;
    All.forEachRead(R, [&](Stamp Other) {
      uint32_t Its = All.epochOf(Other).thread();
      if (!IsThere && Its >= Thread) {
        IsThere = true;
        Add(S);
      }
      if (Its != Thread)
        Add(Other);
    });
    if (!IsThere)
      Add(S);
    if (OwnSets.empty())
      All.takeSets(OwnSets);
    uint32_t Number = OwnSets.back();
    OwnSets.pop();
    All.SetAt[Number] = New;
    return Stamps::Shared | Number;
  }
  void forgetRecent() {
    std::memset(static_cast<void *>(Recent), 0, sizeof(Recent));
    Round = 1;
  }
  __attribute__((noinline)) Stamp make(Epoch Now, Note N) {
    if (Next % Stamps::PerChunk == 0)
      Next = All.takeChunk();
    All.put(Next, Now, N);
    return Next++;
  }

  Stamps &All;
  Stamp Next = 0;          // at the end of a chunk: none is left
  Array<uint32_t> OwnSets; // numbers that it may use
  Epoch At;                // when it was asked last
  uint32_t Round = 1;      // how often that has changed, as far as Recent knows
  Made Recent[1 << RecentBits] = {};
  Step Steps[NumSteps] = {};
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_STAMPS_H
