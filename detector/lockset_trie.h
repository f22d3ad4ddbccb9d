//===- lockset_trie.h - The access history of one location ------------------===//
//
// Choi et al. (choi02.txt, section 3): two accesses race if no lock was held at both.
// Comparing all pairs is out of the question, so the history keeps only accesses that
// no other one makes superfluous. An access p is weaker than q,
//
//   p ⊑ q  ⟺  p.L ⊆ q.L  ∧  p.t ⊑ q.t  ∧  p.a ⊑ q.a
//
// if whatever races with q later races with p as well: then q need not be stored.
//
// What is stored forms a trie. Edges carry locks, ascending along every path, and a
// node holds the accesses whose lockset is exactly the path to it:
//
//        (root)  T1 reads without a lock
//        a/  \b
//   T1 writes  T2 reads holding b
//      b|
//   T2 writes holding a and b
//
// For an event e, subsets of e.L are found by following edges in e.L only; locksets
// that share nothing with e.L are found by following edges outside of e.L only.
//
// Dummy locks. A thread t holds S_t for itself and takes S_u when it joins u, so that
// what u did before does not race with what t does after (section 2). As edges these
// would make every node a single thread's, and a thread that has joined a hundred others
// would need a path of a hundred nodes in every location. So they are kept beside the
// lockset, as an immutable chain that the thread's accesses share, and D(p) below is
// the set of dummy locks of access p.
//
// Exactness. The paper's node has one thread and one access type, the meet of all its
// accesses, and two things go wrong with that:
//
//   * READ by t1 and WRITE by t2 meet in (t⊥, WRITE), which seems to race with a READ
//     by t2. The paper's footnote accepts that alarm; we don't.
//   * t⊥ ⊑ t drops the access of a third thread for the sake of two others. Joining
//     undoes this: after T1, T2 and T3 have written under a lock, somebody who joins
//     T1 and T2 only and reads without the lock races with T3 alone.
//
// So a node keeps the accesses themselves, at most one read and one write of each
// thread, and the meet only tells whether looking at them is worthwhile: n.t ⊑ e.t,
// n.a ⊑ e.a and n.t ⊓ e.t = t⊥, n.a ⊓ e.a = WRITE are necessary conditions. Verdicts
// are exact then, and both sides of a report are accesses that took place.
//
// Whoever calls must own the location; only the Census may be shared.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_LOCKSET_TRIE_H
#define PHOTOFINISH_DETECTOR_LOCKSET_TRIE_H

#include "detector/array.h"

#include <atomic>

namespace photofinish::lockset {

//===-- Access types and threads --------------------------------------------===//

enum class AccessType : uint8_t { Read, Write };

/// p ⊑ q  ⟺  p = q ∨ p = WRITE
inline bool isWeaker(AccessType P, AccessType Q) { return P == Q || P == AccessType::Write; }
/// p ⊓ p = p, READ ⊓ WRITE = WRITE
inline AccessType meet(AccessType P, AccessType Q) { return P == Q ? P : AccessType::Write; }

/// A thread, t⊤ for none, or t⊥ for at least two.
class ThreadMeet {
public:
  static constexpr uint32_t MaxThread = ~0u - 2;
  static constexpr ThreadMeet top() { return ThreadMeet(~0u); }
  static constexpr ThreadMeet bottom() { return ThreadMeet(~0u - 1); }
  static constexpr ThreadMeet of(uint32_t Thread) { return ThreadMeet(Thread); }
  bool operator==(const ThreadMeet &) const = default;

private:
  explicit constexpr ThreadMeet(uint32_t Value) : Value(Value) {}
  uint32_t Value;
};

/// t ⊓ t = t, t ⊓ t⊤ = t, t ⊓ u = t⊥ for different t and u
inline ThreadMeet meet(ThreadMeet P, ThreadMeet Q) {
  if (P == Q || Q == ThreadMeet::top())
    return P;
  return P == ThreadMeet::top() ? Q : ThreadMeet::bottom();
}
/// p ⊑ q  ⟺  p ⊓ q = p: p = q, p = t⊥ or q = t⊤
inline bool isWeaker(ThreadMeet P, ThreadMeet Q) { return meet(P, Q) == P; }

//===-- Locks ----------------------------------------------------------------===//

/// A small dense number. All atomic accesses hold lock 0, so that they do not race with each
/// other; lock m of the program is m + 1.
using LockId = uint32_t;
inline constexpr LockId AtomicsLock = 0;

/// A sorted lockset, or what is left of one further down the trie; owns nothing.
struct Lockset {
  const LockId *Begin = nullptr, *End = nullptr;

  bool empty() const { return Begin == End; }
  LockId front() const { return *Begin; }
  Lockset rest() const { return {Begin + 1, End}; }
  /// The part from M on. Few locks are held at a time, so it is searched linearly.
  Lockset from(LockId M) const {
    Lockset L = *this;
    while (!L.empty() && L.front() < M)
      ++L.Begin;
    return L;
  }
  bool startsWith(LockId M) const { return !empty() && front() == M; }
};

/// The threads that a thread had joined at some moment: never changed, shared by all accesses
/// from one join to the next.
struct JoinChain {
  uint32_t Thread;
  const JoinChain *Earlier;
};

/// The dummy locks that a thread holds now. Thread-local, but for the chain, which stays valid
/// as long as any location may mention the thread.
class DummyLocks {
public:
  explicit DummyLocks(uint32_t Owner) : Owner(Owner) {}
  DummyLocks(const DummyLocks &) = delete;
  DummyLocks &operator=(const DummyLocks &) = delete;
  ~DummyLocks() {
    while (const JoinChain *Last = Joined) {
      Joined = Last->Earlier;
      host::release(const_cast<JoinChain *>(Last), sizeof(JoinChain));
    }
  }

  uint32_t owner() const { return Owner; }
  const JoinChain *joined() const { return Joined; }
  bool holds(uint32_t Thread) const {
    return Thread == Owner ||
           (Thread / 64 < Members.size() && (Members[Thread / 64] >> Thread % 64 & 1));
  }
  void join(uint32_t Thread) {
    if (holds(Thread))
      return;
    Members.growTo(Thread / 64 + 1);
    Members[Thread / 64] |= uint64_t(1) << Thread % 64;
    Joined = new (host::allocate(sizeof(JoinChain))) JoinChain{Thread, Joined};
  }

private:
  uint32_t Owner;
  const JoinChain *Joined = nullptr; // the same threads as Members
  Array<uint64_t> Members;           // bit u: u has been joined
};

//===-- Events -----------------------------------------------------------------===//

/// An access that the history remembers; its lockset is where it is stored.
struct StoredAccess {
  uint32_t Thread;
  uint32_t Site;
  const JoinChain *Joined;
  AccessType Type;
  bool IsAtomic;
};

/// An access that happens now.
struct Event {
  const DummyLocks &Dummies;
  Lockset Locks;
  AccessType Type;
  bool IsAtomic;
  uint32_t Site;

  ThreadMeet thread() const { return ThreadMeet::of(Dummies.owner()); }
  StoredAccess stored() const { return {Dummies.owner(), Site, Dummies.joined(), Type, IsAtomic}; }
};

/// p ⊑ e, given p.L ⊆ e.L. A thread's dummy locks only grow: p.t = e.t ⟹ D(p) ⊆ D(e).
inline bool isWeaker(const StoredAccess &P, const Event &E) {
  return P.Thread == E.Dummies.owner() && isWeaker(P.Type, E.Type);
}
/// e ⊑ q, given e.L ⊆ q.L. D(e) ⊆ D(q) only if no join came between.
inline bool isWeaker(const Event &E, const StoredAccess &Q) {
  return E.Dummies.owner() == Q.Thread && E.Dummies.joined() == Q.Joined &&
         isWeaker(E.Type, Q.Type);
}
/// D(p) ∩ D(e) = ∅, hence p.t ≠ e.t.
inline bool haveDisjointDummies(const StoredAccess &P, const Event &E) {
  if (E.Dummies.holds(P.Thread))
    return false;
  for (const JoinChain *J = P.Joined; J; J = J->Earlier)
    if (E.Dummies.holds(J->Thread))
      return false;
  return true;
}
/// IsRace(p, e), given p.L ∩ e.L = ∅.
inline bool isRace(const StoredAccess &P, const Event &E) {
  return meet(P.Type, E.Type) == AccessType::Write && haveDisjointDummies(P, E);
}

//===-- The trie ----------------------------------------------------------------===//

/// How many nodes there are, over all locations of an analysis. Any thread may count.
class Census {
public:
  void add() {
    // Relaxed, here and below: statistics order nothing.
    uint64_t Now = Nodes.fetch_add(1, std::memory_order_relaxed) + 1;
    uint64_t Most = Peak.load(std::memory_order_relaxed);
    while (Now > Most && !Peak.compare_exchange_weak(Most, Now, std::memory_order_relaxed))
      ;
  }
  void remove() { Nodes.fetch_sub(1, std::memory_order_relaxed); }
  uint64_t nodes() const { return Nodes.load(std::memory_order_relaxed); }
  uint64_t peak() const { return Peak.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> Nodes{0}, Peak{0};
};

/// How often the steps that may do several things at once did them; kept by the thread whose event
/// it was.
struct TrieCounts {
  uint64_t CommonLock = 0; ///< Case I
  uint64_t Descend = 0;    ///< Case III
  uint64_t Pruned = 0;
};

class Trie {
public:
  explicit Trie(Census &Counted) : Counted(Counted) { Counted.add(); }
  Trie(const Trie &Other) : Counted(Other.Counted) {
    Counted.add();
    copy(Root, Other.Root);
  }
  Trie &operator=(const Trie &) = delete;
  ~Trie() {
    drop(Root.FirstChild);
    Counted.remove();
  }

  /// ∃p: p ⊑ e
  bool hasWeaker(const Event &E) const { return hasWeaker(Root, E, E.Locks); }

  /// Tells OnRace one stored access that races with e, and returns true, if there is any.
  template <class Fn> bool raceCheck(const Event &E, TrieCounts &Counts, Fn &&OnRace) const {
    const StoredAccess *P = findRace(Root, E, E.Locks, Counts);
    if (P)
      OnRace(*P);
    return P;
  }

  /// Stores e, then removes every q that it makes superfluous: e ⊑ q.
  void update(const Event &E, TrieCounts &Counts) {
    Node &N = nodeFor(E.Locks);
    removeStronger(N, E, Counts);
    N.add(E.stored());
    pruneStronger(Root, E, E.Locks, &N, Counts);
  }

  /// Edges ascend, no leaf but the root is empty, and every node has the meet of its accesses.
  bool isWellFormed() const { return isWellFormed(Root); }

private:
  struct Node {
    LockId Lock = 0;                             // of the edge that leads here
    AccessType Type = AccessType::Read;          // n.a = ⊓ p.a over Accesses
    ThreadMeet Thread = ThreadMeet::top();       // n.t = ⊓ p.t over Accesses
    Node *FirstChild = nullptr, *Next = nullptr; // Next->Lock > Lock
    Array<StoredAccess> Accesses;

    void add(const StoredAccess &P) {
      Type = meet(Type, P.Type);
      Thread = meet(Thread, ThreadMeet::of(P.Thread));
      Accesses.push(P);
    }
    void recomputeMeet() {
      Type = AccessType::Read;
      Thread = ThreadMeet::top();
      for (const StoredAccess &P : Accesses) {
        Type = meet(Type, P.Type);
        Thread = meet(Thread, ThreadMeet::of(P.Thread));
      }
    }
  };

  static bool hasWeaker(const Node &N, const Event &E, Lockset Below) {
    if (isWeaker(N.Thread, E.thread()) && isWeaker(N.Type, E.Type))
      for (const StoredAccess &P : N.Accesses)
        if (isWeaker(P, E))
          return true;
    for (const Node *Child = N.FirstChild; Child && !Below.empty(); Child = Child->Next) {
      Below = Below.from(Child->Lock);
      if (Below.startsWith(Child->Lock) && hasWeaker(*Child, E, Below.rest()))
        return true;
    }
    return false;
  }

  static const StoredAccess *findRace(const Node &N, const Event &E, Lockset Below,
                                      TrieCounts &Counts) {
    if (const StoredAccess *P = racesHere(N, E))
      return P;
    for (const Node *Child = N.FirstChild; Child; Child = Child->Next) {
      Below = Below.from(Child->Lock);
      if (hasCommonLock(*Child, Below, Counts))
        continue;
      if (const StoredAccess *P = descend(*Child, E, Below, Counts))
        return P;
    }
    return nullptr;
  }
  /// Case I: e holds the lock of the edge, so that nothing below it can race with e.
  static bool hasCommonLock(const Node &N, Lockset Below, TrieCounts &Counts) {
    bool Common = Below.startsWith(N.Lock);
    Counts.CommonLock += Common;
    return Common;
  }
  /// Case II: n.t ⊓ e.t = t⊥ ∧ n.a ⊓ e.a = WRITE, and one of the accesses says so itself.
  static const StoredAccess *racesHere(const Node &N, const Event &E) {
    if (meet(N.Thread, E.thread()) != ThreadMeet::bottom() ||
        meet(N.Type, E.Type) != AccessType::Write)
      return nullptr;
    for (const StoredAccess &P : N.Accesses)
      if (isRace(P, E))
        return &P;
    return nullptr;
  }
  /// Case III: the node itself does not race; its children may.
  static const StoredAccess *descend(const Node &N, const Event &E, Lockset Below,
                                     TrieCounts &Counts) {
    ++Counts.Descend;
    return findRace(N, E, Below, Counts);
  }

  Node &nodeFor(Lockset Path) {
    Node *N = &Root;
    for (; !Path.empty(); Path = Path.rest()) {
      Node **Place = &N->FirstChild;
      while (*Place && (*Place)->Lock < Path.front())
        Place = &(*Place)->Next;
      if (!*Place || (*Place)->Lock != Path.front()) {
        Node *New = newNode(Path.front());
        New->Next = *Place;
        *Place = New;
      }
      N = *Place;
    }
    return *N;
  }

  static void removeStronger(Node &N, const Event &E, TrieCounts &Counts) {
    uint32_t Before = N.Accesses.size();
    for (uint32_t I = N.Accesses.size(); I--;)
      if (isWeaker(E, N.Accesses[I]))
        N.Accesses.removeUnordered(I);
    if (N.Accesses.size() == Before)
      return;
    Counts.Pruned += Before - N.Accesses.size();
    N.recomputeMeet();
  }

  /// Missing is what the path to N lacks of e.L: where it is empty, q.L ⊇ e.L. New holds e itself.
  void pruneStronger(Node &N, const Event &E, Lockset Missing, const Node *New,
                     TrieCounts &Counts) {
    if (Missing.empty() && &N != New)
      removeStronger(N, E, Counts);
    for (Node **Place = &N.FirstChild; Node *Child = *Place;) {
      if (!Missing.empty() && Child->Lock > Missing.front())
        return; // this edge and all later ones are past a lock that would have to come
      pruneStronger(*Child, E, Missing.startsWith(Child->Lock) ? Missing.rest() : Missing, New,
                    Counts);
      if (Child->Accesses.empty() && !Child->FirstChild) {
        *Place = Child->Next;
        freeNode(Child);
      } else {
        Place = &Child->Next;
      }
    }
  }

  static bool isWellFormed(const Node &N) {
    Node Expected;
    for (const StoredAccess &P : N.Accesses)
      Expected.add(P);
    if (N.Type != Expected.Type || N.Thread != Expected.Thread)
      return false;
    for (const Node *Child = N.FirstChild; Child; Child = Child->Next)
      if ((Child->Next && Child->Next->Lock <= Child->Lock) ||
          (Child->Accesses.empty() && !Child->FirstChild) ||
          (Child->FirstChild && Child->FirstChild->Lock <= Child->Lock) || !isWellFormed(*Child))
        return false;
    return true;
  }

  Node *newNode(LockId Lock) {
    Counted.add();
    Node *N = new (host::allocate(sizeof(Node))) Node();
    N->Lock = Lock;
    return N;
  }
  void freeNode(Node *N) {
    Counted.remove();
    N->~Node();
    host::release(N, sizeof(Node));
  }
  void copy(Node &To, const Node &From) {
    for (const StoredAccess &P : From.Accesses)
      To.add(P);
    Node **Place = &To.FirstChild;
    for (const Node *Child = From.FirstChild; Child; Child = Child->Next) {
      *Place = newNode(Child->Lock);
      copy(**Place, *Child);
      Place = &(*Place)->Next;
    }
  }
  void drop(Node *First) {
    while (Node *N = First) {
      First = N->Next;
      drop(N->FirstChild);
      freeNode(N);
    }
  }

  Census &Counted;
  Node Root;
};

} // namespace photofinish::lockset

#endif // PHOTOFINISH_DETECTOR_LOCKSET_TRIE_H
