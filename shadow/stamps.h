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
// A set of reads has a number, too, and never changes (shadow/records.h): what it becomes by
// another read is another set, and the same one for all memory that the thread reads at that place.
// A read that is ordered before another is not in it: whoever races with the first, later than
// both, races with the second. So a set has two members or more, none of them ordered.
//
// Stamps are given out in chunks, each to one thread: where even the last epoch of a chunk is
// ordered before somebody, all its accesses are, and nobody looks at them one by one. Those of the
// thread's epoch come one after the other (Hits), so that whether an access was made in this epoch
// is a comparison of numbers.
//
// Nothing counts who refers to a stamp or a record. Now and then everything that does is gone
// through while nobody else is at work (Collection): what somebody has gets a new number, in chunks
// of their own, and all other chunks are used again.
//
// Who may do what:
//
//   field         | write                               | read
//   --------------+-------------------------------------+----------------------------------------
//   Entry         | the thread that has the chunk,      | whoever has read the stamp from where it
//                 | before anybody has the stamp        | was published
//   LastOf        | the thread that has the chunk       | as an Entry
//   a record      | the thread that has the chunk,      | whoever has read the number from where it
//                 | before anybody else has its number  | was published; anyone, if what he makes
//                 |                                     | of it comes to nothing once there are no
//                 |                                     | hits
//   Hits          | its thread                          | its thread
//   all else      | holding Lock                        | holding Lock
//   all           | a Collection, while nobody else is at work; it takes everybody's hits before it
//                 | changes anything
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_STAMPS_H
#define PHOTOFINISH_SHADOW_STAMPS_H

#include "detector/cell.h"
#include "shadow/line.h"
#include "shadow/records.h"

#include <utility>

namespace photofinish {

/// 0: there was no access.
using Stamp = uint32_t;
/// A stamp, or Stamps::Shared and the number of a set.
using Reads = uint32_t;

/// A thread's stamps of its epoch, as far as accesses that have one need no further check.
struct Hits {
  Stamp First = 0;
  std::atomic<uint32_t> Count{0};

  /// Of a stamp that was read from a shadow just before: a collection would have made Count 0.
  bool has(Stamp S) const { return S - First < Count.load(std::memory_order_relaxed); }
};

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
    host::unreserve(Entries, allBytes());
  }

  /// Before anything else. False if there is no address space for it.
  bool initialise() {
    auto *Next = static_cast<char *>(host::reserve(allBytes()));
    if (!Next)
      return false;
    auto Take = [&](size_t Bytes) { return std::exchange(Next, Next + Bytes); };
    Entries = reinterpret_cast<Entry *>(Take(EntriesBytes));
    LastOf = reinterpret_cast<std::atomic<uint64_t> *>(Take(LastBytes));
    NewOf = reinterpret_cast<Stamp *>(Take(NewBytes));
    Sets.initialise(Take(Sets.reservedBytes()));
    Parts.initialise(Take(Parts.reservedBytes()));
    return true;
  }

  /// As if nobody had asked for any.
  void restart() {
    Stamped.restart();
    Sets.Pool.restart();
    Parts.Pool.restart();
    TakenSince = 0;
    Threshold = MinThreshold = FirstThreshold;
    Collections = NumLiveSets = 0;
  }

  Epoch epochOf(Stamp S) const {
    return Epoch::fromBits(Entries[S].When.load(std::memory_order_relaxed));
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
  /// Calls Visit(Stamp) for every read, in the order of their threads.
  template <class Fn> void forEachRead(Reads R, Fn &&Visit) const {
    if (!isShared(R))
      return R ? Visit(R) : void();
    for (Records::Number At = R - Shared; At;) {
      const Set &S = Sets.at<Set>(At);
      for (uint32_t I = 0; I < S.Count; ++I)
        Visit(S.Of[I]);
      At = S.Next;
    }
  }
  /// Are they the same reads? Sets that threads have made each by itself may have two numbers.
  bool areEqual(Reads A, Reads B) const {
    if (A == B || !isShared(A) || !isShared(B))
      return A == B;
    Records::Number X = A - Shared, Y = B - Shared;
    while (X && Y && X != Y) { // all but the first are full, so that equal ones are cut alike
      const Set &Mine = Sets.at<Set>(X), &Others = Sets.at<Set>(Y);
      if (Mine.Count != Others.Count || std::memcmp(Mine.Of, Others.Of, Mine.Count * sizeof(Stamp)))
        return false;
      X = Mine.Next;
      Y = Others.Next;
    }
    return X == Y;
  }

  /// Goes through everything that refers to stamps: all of it is told the new number. Nobody else
  /// is at work until it ends, and nobody has hits any more.
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
      if (!All.Sets.at<Set>(R - Shared).New)
        ++All.NumLiveSets;
      return Shared | moveSet(R - Shared);
    }
    /// The same for a record of so many words, of which the first has the new number in its upper
    /// half once there is one. Keep(word) is what another becomes.
    template <class Fn> Records::Number keepParts(Records::Number N, uint32_t Words, Fn &&Keep) {
      auto *Old = &All.Parts.at<uint64_t>(N);
      if (!(Old[0] >> 32)) {
        Records::Number New = take(All.Parts, ToParts, Words);
        auto *Copy = &All.Parts.at<uint64_t>(New);
        Copy[0] = Old[0];
        for (uint32_t I = 1; I < Words; ++I)
          Copy[I] = Keep(Old[I]);
        Old[0] |= uint64_t(New) << 32;
      }
      return Records::Number(Old[0] >> 32);
    }

  private:
    /// To a chunk that only has stamps of the same thread.
    Stamp move(Stamp S) {
      const Entry &Old = All.Entries[S];
      Epoch When = All.epochOf(S);
      NextOf.growTo(When.thread() + 1);
      Stamp &Next = NextOf[When.thread()];
      if (Next % PerChunk == 0)
        Next = All.take();
      All.put(Next, When, Old.Where);
      return Next++;
    }
    Records::Number moveSet(Records::Number N) {
      Set &Old = All.Sets.at<Set>(N);
      if (!Old.New) {
        Records::Number Next = Old.Next ? moveSet(Old.Next) : 0;
        Records::Number New = take(All.Sets, ToSets, Set::wordsFor(Old.Count));
        Set &Copy = All.Sets.at<Set>(New);
        Copy = {Old.Count, 0, Next, {}};
        for (uint32_t I = 0; I < Old.Count; ++I)
          Copy.Of[I] = keep(Old.Of[I]);
        Old.New = New;
      }
      return Old.New;
    }
    static Records::Number take(Records &Some, Records::Writer &To, uint32_t Words) {
      if (Records::isFull(To, Words))
        Some.refill(To);
      return Records::take(To, Words);
    }

    Stamps &All;
    Array<Stamp> NextOf; // by thread
    Records::Writer ToSets, ToParts;
  };
  /// Is it time for one?
  bool wantsCollection() const {
    return TakenSince.load(std::memory_order_relaxed) >= Threshold.load(std::memory_order_relaxed);
  }
  /// For tests: always.
  void collectAlways() { Threshold = MinThreshold = 0; }
  /// For stats.
  uint64_t bytes() const { return Stamped.bytes() + Sets.Pool.bytes() + Parts.Pool.bytes(); }
  uint64_t numCollections() const { return Collections; }
  uint32_t numSets() const { return NumLiveSets; }

private:
  friend class Stamper;

  struct Entry {
    std::atomic<uint64_t> When; // an epoch
    Note Where;
  };
  static constexpr uint32_t PerChunk = Chunks::Bytes / sizeof(Entry), FirstThreshold = 512;
  static constexpr uint32_t MaxChunks = (uint32_t(1) << Bits) / PerChunk;
  static constexpr size_t EntriesBytes = size_t(MaxChunks) * Chunks::Bytes;
  static constexpr size_t NewBytes = size_t(MaxChunks) * PerChunk * sizeof(Stamp);
  static constexpr size_t LastBytes = size_t(MaxChunks) * sizeof(uint64_t);

  /// Some members of a set of reads, in the order of their threads.
  struct Set {
    uint32_t Count;
    Records::Number New;  // during a collection: where it is then; else 0
    Records::Number Next; // has the rest; 0: there is none
    Stamp Of[1];

    static constexpr uint32_t Most = 128;
    static uint32_t wordsFor(uint32_t Count) { return (3 + Count + 1) / 2; }
  };

  size_t allBytes() const {
    return EntriesBytes + LastBytes + NewBytes + Sets.reservedBytes() + Parts.reservedBytes();
  }

  // Chunks.

  /// A chunk for one thread: its first stamp.
  Stamp takeChunk() {
    Locked Guard(Lock);
    TakenSince.fetch_add(1, std::memory_order_relaxed);
    return take();
  }
  Stamp take() {
    uint32_t Chunk = Stamped.take();
    LastOf[Chunk].store(0, std::memory_order_relaxed);
    return Chunk * PerChunk;
  }
  void refill(Records &Some, Records::Writer &W) {
    Locked Guard(Lock);
    TakenSince.fetch_add(1, std::memory_order_relaxed);
    Some.refill(W);
  }
  void put(Stamp S, Epoch When, Note Where) {
    Entries[S].Where = Where;
    Entries[S].When.store(When.bits(), std::memory_order_relaxed);
    // Those of one thread compare as numbers.
    if (auto &Last = LastOf[S / PerChunk]; Last.load(std::memory_order_relaxed) < When.bits())
      Last.store(When.bits(), std::memory_order_relaxed);
  }

  // Collections.

  void begin() {
    NumLiveSets = 0;
    for (Chunks *Each : {&Stamped, &Sets.Pool, &Parts.Pool})
      Each->beginCollection();
  }
  void sweep() {
    ++Collections;
    if (size_t Used = size_t(Stamped.end()) * PerChunk * sizeof(Stamp); Used < (1u << 20))
      std::memset(NewOf, 0, Used);
    else
      host::discard(NewOf, Used);
    uint32_t Kept = 0;
    for (Chunks *Each : {&Stamped, &Sets.Pool, &Parts.Pool}) {
      Each->endCollection();
      Kept += Each->numUsed();
    }
    TakenSince.store(0, std::memory_order_relaxed);
    Threshold.store(Kept > MinThreshold ? Kept : MinThreshold, std::memory_order_relaxed);
  }

  Entry *Entries = nullptr;                // by stamp
  std::atomic<uint64_t> *LastOf = nullptr; // by chunk: the epoch of its last stamp
  Stamp *NewOf = nullptr;                  // during a Collection: by stamp; 0: not kept so far

  SpinLock Lock;
  Chunks Stamped{MaxChunks, "more than 2^27 different accesses have to be remembered at once"};

public:
  /// Sets of reads; and the parts of granules, which are shadow/granule.h's business.
  Records Sets{(uint32_t(1) << Bits) / Records::ChunkWords,
               "more than 1 GiB of sets of readers has to be remembered at once"};
  Records Parts{uint32_t((uint64_t(1) << 32) / Records::ChunkWords),
                "more than 32 GiB of fields that share their granule has to be remembered at once"};

private:
  uint32_t NumLiveSets = 0;            // at the last collection
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
    if (__builtin_expect(Now != At, false))
      beginEpoch(Now);
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
  /// The thread is in this epoch from now on, with or without hits.
  void publish(Epoch Now, bool HasHits) {
    if (Now != At)
      beginEpoch(Now);
    IsOpen = HasHits;
    Known.Count.store(IsOpen ? Next - Known.First : 0, std::memory_order_relaxed);
  }
  const Hits &hits() const { return Known; }

  /// R without what V covers.
  Reads uncovered(Reads R, const Clock &V) {
    if (!Stamps::isShared(R))
      return R && All.isBefore(R, V) ? 0 : R;
    uint32_t Size = 0, Left = 0;
    Stamp Only = 0;
    All.forEachRead(R, [&](Stamp S) {
      ++Size;
      if (!All.isBefore(S, V))
        ++Left, Only = S;
    });
    if (Left <= 1)
      return Only;
    return Left == Size ? R : makeSet(R, V, 0);
  }
  /// And with S, which is a read of V's thread at its epoch.
  Reads withRead(Reads R, const Clock &V, Stamp S) {
    if (!Stamps::isShared(R) && (!R || All.isBefore(R, V)))
      return S;
    // V may cover more than it did then: a larger set is as good.
    Step &Last = Steps[(R * UINT64_C(0x9E3779B97F4A7C15) + S) % NumSteps];
    if (!Last.To || Last.From != R || Last.By != S)
      Last = {R, S, makeSet(R, V, S)};
    return Last.To;
  }
  /// The number of a record of so many words; the same one again if that has them, too.
  Records::Number partsOf(const uint64_t *Words, uint32_t Count) {
    uint64_t Differ = !LastParts;
    const uint64_t *Last = &All.Parts.at<uint64_t>(LastParts);
    for (uint32_t I = 0; I < Count && !Differ; ++I)
      Differ = Last[I] ^ Words[I];
    if (!Differ)
      return LastParts;
    if (Records::isFull(ToParts, Count))
      All.refill(All.Parts, ToParts);
    LastParts = Records::take(ToParts, Count);
    auto *New = &All.Parts.at<uint64_t>(LastParts);
    for (uint32_t I = 0; I < Count; ++I)
      New[I] = Words[I];
    return LastParts;
  }

  /// Before a collection: it has no hits; after it, no stamps.
  void takeHits() { Known.Count.store(0, std::memory_order_release); }
  void forgetAll() {
    takeHits();
    Next = Known.First = 0;
    ToSets = ToParts = {};
    LastParts = 0;
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

  void beginEpoch(Epoch Now) {
    At = Now;
    Known.First = Next;
    Known.Count.store(0, std::memory_order_relaxed);
    forgetPlaces();
  }
  /// What V does not cover of R, and S, if it is not 0.
  Reads makeSet(Reads R, const Clock &V, Stamp S) {
    uint32_t Thread = S ? All.epochOf(S).thread() : 0;
    bool IsThere = !S;
    Members.clear();
    auto AddBefore = [&](uint32_t Other) {
      if (!IsThere && Other >= Thread) {
        IsThere = true;
        Members.push(S);
      }
    };
    All.forEachRead(R, [&](Stamp Other) {
      if (All.isBefore(Other, V))
        return;
      AddBefore(All.epochOf(Other).thread());
      Members.push(Other);
    });
    AddBefore(UINT32_MAX);
    if (Members.size() <= 1)
      return Members.empty() ? 0 : Members[0];
    // From the end on, so that the rest has a number; all but the first have as many as can be.
    Records::Number Rest = 0;
    for (uint32_t End = Members.size(); End;) {
      uint32_t Count = End < Stamps::Set::Most ? End : Stamps::Set::Most;
      uint32_t Words = Stamps::Set::wordsFor(Count);
      if (Records::isFull(ToSets, Words))
        All.refill(All.Sets, ToSets);
      Records::Number New = Records::take(ToSets, Words);
      auto &Some = All.Sets.at<Stamps::Set>(New);
      Some = {Count, 0, Rest, {}};
      std::memcpy(Some.Of, &Members[End - Count], Count * sizeof(Stamp));
      Rest = New;
      End -= Count;
    }
    return Stamps::Shared | Rest;
  }
  void forgetRecent() {
    std::memset(static_cast<void *>(Recent), 0, sizeof(Recent));
    Round = 1;
  }
  __attribute__((noinline)) Stamp make(Epoch Now, Note N) {
    if (Next % Stamps::PerChunk == 0)
      Known.First = Next = All.takeChunk();
    All.put(Next, Now, N);
    Known.Count.store(IsOpen ? Next + 1 - Known.First : 0, std::memory_order_relaxed);
    return Next++;
  }

  Stamps &All;
  Hits Known;
  Stamp Next = 0; // at the end of a chunk: none is left
  bool IsOpen = false;
  Records::Writer ToSets, ToParts;
  Records::Number LastParts = 0; // that was written
  Epoch At;                      // when it was asked last
  uint32_t Round = 1;            // how often that has changed, as far as Recent knows
  Array<Stamp> Members;          // of the set that is being made
  Made Recent[1 << RecentBits] = {};
  Step Steps[NumSteps] = {};
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_STAMPS_H
