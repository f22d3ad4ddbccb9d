//===- lockset.h - Races by locksets alone -----------------------------------===//
//
// Choi, Lee, Loginov, O'Callahan, Sarkar, Sridharan, "Efficient and Precise Datarace
// Detection for Multithreaded Object-Oriented Programs", PLDI 2002 (choi02.txt). Two
// accesses to a location race if they come from different threads, at least one
// writes, and no lock was held at both. So it also finds the race that this execution
// happened to order:
//
//   T0: w(x)  acq(m)  rel(m)
//   T1:                       acq(m)  rel(m)  w(x)      a race, had T1 come first
//
// and, unlike Eraser, it asks for no single lock that guards a location for good: {a,b},
// {b,c} and {a,c} intersect pairwise. trace/lockset_oracle.h has the definition in full.
//
// An access goes through four filters, the cheapest first:
//
//   the thread's cache      a weaker access is on record: done   (lockset_cache.h)
//   ownership               no other thread has been here: done  (below)
//   the weakness check      a weaker access is on record: done   (lockset_trie.h)
//   the race check          Cases I, II and III                  (lockset_trie.h)
//
// and what passes all of them is recorded, whether it raced or not.
//
// Ownership stands in for the order that fork makes: a location belongs to the first thread
// that accesses it, and nothing is recorded until a second one does. The owner's cache
// may hold the location on the strength of an access that was dropped for that reason, so the
// location is taken out of it when the ownership ends (section 7), and out of
// everybody's caches when the memory is allocated anew.
//
// What belongs to a thread (LocksetThread) and what belongs to a location
// (LocksetLocation) meet in the functions of namespace rule only. Those need the location
// to be owned by the caller, and the cache to be filled before it is given up.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_LOCKSET_H
#define PHOTOFINISH_DETECTOR_LOCKSET_H

#include "detector/lockset_cache.h"
#include "detector/lockset_trie.h"
#include "detector/rule_kind.h"

namespace photofinish::lockset {

// Every step that counts itself, in the order in which an access meets them.
#define PF_LOCKSET_RULES(RULE)                                                                     \
  RULE(CacheHit, "Cache Hit", Access)                                                              \
  RULE(Owned, "Owned", Access)                                                                     \
  RULE(Shared, "Shared", State)                                                                    \
  RULE(Weaker, "Weaker", Access)                                                                   \
  RULE(CommonLock, "Common Lock", State)                                                           \
  RULE(Race, "Race", Race)                                                                         \
  RULE(Descend, "Descend", State)                                                                  \
  RULE(Update, "Update", Access)                                                                   \
  RULE(Pruned, "Pruned", State)                                                                    \
  RULE(CacheConflict, "Cache Conflict", State)                                                     \
  RULE(CacheEvict, "Cache Evict", State)                                                           \
  RULE(CacheEvictShared, "Cache Evict Shared", State)                                              \
  RULE(Acquire, "Acquire", Sync)                                                                   \
  RULE(ReadLock, "Read Lock", Sync)                                                                \
  RULE(Release, "Release", Sync)                                                                   \
  RULE(Join, "Join", Sync)

PF_DEFINE_RULES(PF_LOCKSET_RULES)

/// An access as its thread sees it, before anything is known of the location.
struct Access {
  AccessType Type;
  bool IsAtomic;
  uint32_t Site;
};

//===-- Threads ---------------------------------------------------------------===//

/// What is known of one thread. Thread-local; others may only make it forget.
class LocksetThread {
public:
  explicit LocksetThread(uint32_t Id) : Dummies(Id) {
    if (Id > ThreadMeet::MaxThread)
      host::giveUp("more than 2^32 - 2 threads");
    ForReads.push(AtomicsLock);
    ForWrites.push(AtomicsLock);
  }

  uint32_t id() const { return Dummies.owner(); }

  // Locks of the program, by the program's numbers.
  void acquire(uint64_t M) {
    take(M, /*IsShared=*/false);
    fired(Rule::Acquire);
  }
  void readLock(uint64_t M) {
    take(M, /*IsShared=*/true);
    fired(Rule::ReadLock);
  }
  /// However M was taken.
  void release(uint64_t M) {
    LockId Lock = lockId(M);
    uint32_t I = Held.size();
    while (I && Held[I - 1].Lock != Lock)
      --I;
    if (!I)
      return; // taken before the analysis began
    fired(Rule::Release);
    // Depth I is the list of the lock at index I - 1.
    fired(Rule::CacheEvict, Reads.evictFrom(I) + Writes.evictFrom(I));
    remove(ForReads, Lock);
    if (!Held[I - 1].IsShared)
      remove(ForWrites, Lock);
    for (; I < Held.size(); ++I)
      Held[I - 1] = Held[I];
    Held.pop();
  }
  void join(uint32_t Thread) {
    Dummies.join(Thread);
    fired(Rule::Join);
  }

  /// The event's L, but for the dummy locks. A lock that is held shared protects reads, not
  /// writes. AtomicsLock is the first in either set; a plain access leaves it out.
  Event event(const Access &A) const {
    const Array<LockId> &Locks = A.Type == AccessType::Read ? ForReads : ForWrites;
    return {Dummies, {Locks.begin() + !A.IsAtomic, Locks.end()}, A.Type, A.IsAtomic, A.Site};
  }

  /// Is a weaker access of this thread on record for all those bytes? A write is weaker than a
  /// read, and what is held when it happens is a subset of what a read holds.
  bool cacheHit(const Access &A, uint64_t Granule, uint8_t Bytes) {
    return (Writes.hit(Granule, Bytes, A.IsAtomic) ||
            (A.Type == AccessType::Read && Reads.hit(Granule, Bytes, A.IsAtomic))) &&
           fired(Rule::CacheHit);
  }
  /// The access has been through rule::access for all those bytes.
  void remember(const Access &A, uint64_t Granule, uint8_t Bytes) {
    bool IsRead = A.Type == AccessType::Read;
    bool Conflict = (IsRead ? Reads : Writes)
                        .insert(Granule, Bytes, A.IsAtomic, IsRead ? Held.size() : writeDepth());
    fired(Rule::CacheConflict, Conflict);
  }

  // What others may do, while they own the locations concerned.
  bool forget(uint64_t Granule, uint8_t Bytes) {
    bool InReads = Reads.forget(Granule, Bytes), InWrites = Writes.forget(Granule, Bytes);
    return InReads || InWrites;
  }
  void forgetRange(uint64_t Address, uint64_t Size) {
    Reads.forgetRange(Address, Size);
    Writes.forgetRange(Address, Size);
  }
  /// The thread has ended. Its dummy locks stay: recorded accesses refer to them.
  void dropCaches() {
    Reads.drop();
    Writes.drop();
  }

  /// Counts a rule; true, so that rules can end with it.
  bool fired(Rule R, uint64_t Times = 1) {
    Fired[unsigned(R)] += Times;
    return true;
  }
  uint64_t timesFired(Rule R) const { return Fired[unsigned(R)]; }

private:
  struct HeldLock {
    LockId Lock;
    bool IsShared;
  };

  static LockId lockId(uint64_t M) {
    if (M >= ~0u)
      host::giveUp("more than 2^32 - 1 locks");
    return LockId(M + 1);
  }
  void take(uint64_t M, bool IsShared) {
    LockId Lock = lockId(M);
    Held.push({Lock, IsShared});
    insert(ForReads, Lock);
    if (!IsShared)
      insert(ForWrites, Lock);
  }
  /// The last lock that counts for a write: releasing a shared one does not make its lockset
  /// smaller.
  uint32_t writeDepth() const {
    uint32_t Depth = Held.size();
    while (Depth && Held[Depth - 1].IsShared)
      --Depth;
    return Depth;
  }

  static void insert(Array<LockId> &Sorted, LockId Lock) {
    Sorted.push(Lock);
    for (uint32_t I = Sorted.size() - 1; I && Sorted[I - 1] > Lock; --I)
      std::swap(Sorted[I - 1], Sorted[I]);
  }
  static void remove(Array<LockId> &Sorted, LockId Lock) {
    uint32_t I = 0;
    while (Sorted[I] != Lock)
      ++I;
    for (; I + 1 < Sorted.size(); ++I)
      Sorted[I] = Sorted[I + 1];
    Sorted.pop();
  }

  AccessCache Reads, Writes;
  Array<LockId> ForReads;  // sorted: AtomicsLock and all of Held
  Array<LockId> ForWrites; // sorted: AtomicsLock and what is held exclusively
  Array<HeldLock> Held;    // in the order in which they were taken
  DummyLocks Dummies;
  uint64_t Fired[NumRules] = {};
};

//===-- Locations ---------------------------------------------------------------===//

/// Untouched, owned by a thread, or shared and with a history.
class LocksetLocation {
public:
  LocksetLocation() = default;
  LocksetLocation(const LocksetLocation &) = delete;
  LocksetLocation &operator=(const LocksetLocation &) = delete;
  ~LocksetLocation() { reset(); }

  void copyFrom(const LocksetLocation &Other) {
    reset();
    Owner = Other.Owner;
    if (Other.History)
      History = new (host::allocate(sizeof(Trie))) Trie(*Other.History);
  }
  /// Fresh memory: no history, no owner.
  void reset() {
    if (History) {
      History->~Trie();
      host::release(History, sizeof(Trie));
    }
    History = nullptr;
    Owner = Nobody;
  }

  bool isTouched() const { return Owner != Nobody; }
  bool isShared() const { return History; }
  bool isOwnedBy(uint32_t Thread) const { return !isShared() && Owner == Thread; }
  /// Once shared: the owner until then.
  uint32_t owner() const { return Owner; }
  void own(uint32_t Thread) { Owner = Thread; }
  void share(Census &Nodes) { History = new (host::allocate(sizeof(Trie))) Trie(Nodes); }
  Trie &history() { return *History; }
  bool isWellFormed() const { return !History || (isTouched() && History->isWellFormed()); }

private:
  static constexpr uint32_t Nobody = ~0u;

  Trie *History = nullptr;
  uint32_t Owner = Nobody;
};

//===-- Rules --------------------------------------------------------------------===//

namespace rule {

/// Sx.owner ∈ {none, t}  ⟹  Sx.owner := t
inline bool owned(LocksetThread &T, LocksetLocation &X) {
  if (!X.isTouched())
    X.own(T.id());
  return X.isOwnedBy(T.id()) && T.fired(Rule::Owned);
}

/// Sx.owner = u ≠ t, and x is not shared yet  ⟹  x is, and leaves the caches of u. The latter is
/// OnShared's business, which is given u and returns whether they had it.
template <class Fn> bool share(LocksetThread &T, LocksetLocation &X, Census &Nodes, Fn &&OnShared) {
  if (X.isShared())
    return false;
  X.share(Nodes);
  if (OnShared(X.owner()))
    T.fired(Rule::CacheEvictShared);
  return T.fired(Rule::Shared);
}

/// ∃p ∈ Sx: p ⊑ e
inline bool weaker(LocksetThread &T, LocksetLocation &X, const Event &E) {
  return X.history().hasWeaker(E) && T.fired(Rule::Weaker);
}

/// ∃p ∈ Sx: IsRace(p, e). OnRace is told p.
template <class Fn>
bool raceCheck(LocksetThread &T, LocksetLocation &X, const Event &E, Fn &&OnRace) {
  TrieCounts Counts;
  bool Raced = X.history().raceCheck(E, Counts, OnRace);
  T.fired(Rule::CommonLock, Counts.CommonLock);
  T.fired(Rule::Descend, Counts.Descend);
  return Raced && T.fired(Rule::Race);
}

/// Sx := (Sx \ {q | e ⊑ q}) ∪ {e}
inline bool update(LocksetThread &T, LocksetLocation &X, const Event &E) {
  TrieCounts Counts;
  X.history().update(E, Counts);
  T.fired(Rule::Pruned, Counts.Pruned);
  return T.fired(Rule::Update);
}

/// An access that the cache did not answer. OnShared and OnRace as above.
template <class SharedFn, class RaceFn>
void access(LocksetThread &T, LocksetLocation &X, const Access &A, Census &Nodes,
            SharedFn &&OnShared, RaceFn &&OnRace) {
  if (owned(T, X))
    return;
  share(T, X, Nodes, OnShared);
  Event E = T.event(A);
  if (weaker(T, X, E))
    return;
  raceCheck(T, X, E, OnRace);
  update(T, X, E);
}

} // namespace rule
} // namespace photofinish::lockset

#endif // PHOTOFINISH_DETECTOR_LOCKSET_H
