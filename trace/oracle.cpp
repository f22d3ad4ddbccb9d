//===- oracle.cpp - Every race of a trace, straight from the definition ---===//
//
// Three steps, each a transcription of a part of docs/traces.md:
//
//   1. direct edges: one function for each kind, with the sentence that it
//      implements above it ("quoted" text is the document's);
//   2. their transitive closure, a bit matrix with one row for each operation;
//   3. all pairs of conflicting accesses that the closure does not order.
//
// Every edge goes forward in the trace, so the closure is one sweep over the rows:
//
//          0 1 2 3      0: T0 w(x)     row 3 says what happens before operation 3:
//     0  [ . . . . ]    1: T0 rel(m)   1 by the lock, 2 by program order,
//     1  [ 1 . . . ]    2: T1 start()  0 because row 1 has it
//     2  [ . . . . ]    3: T1 acq(m)
//     3  [ 1 1 1 . ]
//
// Bytes are only told apart where some operation's range begins or ends: two bytes
// between the same two ends have seen exactly the same operations.
//
//===----------------------------------------------------------------------===//

#include "trace/oracle.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>

namespace photofinish {
namespace {

//===----------------------------------------------------------------------===//
// A relation over the operations of a trace
//===----------------------------------------------------------------------===//

class Relation {
public:
  explicit Relation(size_t NumOps)
      : NumOps(NumOps), WordsPerRow((NumOps + 63) / 64), Rows(NumOps * WordsPerRow) {}

  void add(size_t From, size_t To) {
    assert(From < To && To < NumOps && "edges go forward in the trace");
    row(To)[From / 64] |= uint64_t(1) << (From % 64);
  }

  bool holds(size_t From, size_t To) const {
    return Rows[To * WordsPerRow + From / 64] >> (From % 64) & 1;
  }

  /// When a row is reached, all rows that it refers to are above it, hence complete.
  void closeTransitively() {
    for (size_t To = 0; To < NumOps; ++To)
      for (size_t Word = 0; Word < WordsPerRow; ++Word)
        // The direct predecessors in this word. Those that the loop itself adds bring
        // nothing new, since their rows are part of the row that brought them.
        for (uint64_t Direct = row(To)[Word]; Direct; Direct &= Direct - 1)
          unite(To, Word * 64 + size_t(std::countr_zero(Direct)));
  }

private:
  uint64_t *row(size_t To) { return &Rows[To * WordsPerRow]; }
  void unite(size_t To, size_t From) {
    for (size_t Word = 0; Word < WordsPerRow; ++Word)
      row(To)[Word] |= row(From)[Word];
  }

  size_t NumOps;
  size_t WordsPerRow;
  std::vector<uint64_t> Rows; ///< bit From of row To: From is before To
};

//===----------------------------------------------------------------------===//
// Edges of threads, locks, barriers and once-objects
//===----------------------------------------------------------------------===//

/// "happens-before edges, besides program order": the operations of one thread are
/// ordered as they stand. Neighbours suffice, the closure adds the rest.
void addProgramOrder(const Trace &Ops, Relation &HB) {
  for (size_t To = 0; To < Ops.size(); ++To)
    for (size_t From = To; From-- > 0;)
      if (Ops[From].Thread == Ops[To].Thread) {
        HB.add(From, To);
        break;
      }
}

/// `fork(u)`: "this → every operation of u".
void addForkEdges(const Trace &Ops, Relation &HB) {
  for (size_t From = 0; From < Ops.size(); ++From)
    if (Ops[From].Kind == OpKind::Fork)
      for (size_t To = From + 1; To < Ops.size(); ++To)
        if (Ops[To].Thread == Ops[From].Target)
          HB.add(From, To);
}

/// `join(u)`: "every operation of u → this".
void addJoinEdges(const Trace &Ops, Relation &HB) {
  for (size_t To = 0; To < Ops.size(); ++To)
    if (Ops[To].Kind == OpKind::Join)
      for (size_t From = 0; From < To; ++From)
        if (Ops[From].Thread == Ops[To].Target)
          HB.add(From, To);
}

/// The lock that the operation takes or gives back; Wait and Wake name it second.
uint64_t lockOf(const Operation &Op) {
  return Op.Kind == OpKind::Wait || Op.Kind == OpKind::Wake ? Op.Lock : Op.Target;
}

/// `acq(m)`: "every earlier rel(m), rul(m) and wait(c,m) → this"; `wake(c,m)`: "as acq(m)".
void addExclusiveLockEdges(const Trace &Ops, Relation &HB) {
  for (size_t To = 0; To < Ops.size(); ++To)
    if (Ops[To].Kind == OpKind::Acquire || Ops[To].Kind == OpKind::Wake)
      for (size_t From = 0; From < To; ++From)
        if ((Ops[From].Kind == OpKind::Release || Ops[From].Kind == OpKind::ReadUnlock ||
             Ops[From].Kind == OpKind::Wait) &&
            lockOf(Ops[From]) == lockOf(Ops[To]))
          HB.add(From, To);
}

/// `rlk(m)`: "every earlier rel(m) and wait(c,m) → this".
void addSharedLockEdges(const Trace &Ops, Relation &HB) {
  for (size_t To = 0; To < Ops.size(); ++To)
    if (Ops[To].Kind == OpKind::ReadLock)
      for (size_t From = 0; From < To; ++From)
        if ((Ops[From].Kind == OpKind::Release || Ops[From].Kind == OpKind::Wait) &&
            lockOf(Ops[From]) == lockOf(Ops[To]))
          HB.add(From, To);
}

/// `depart(b)`: "every arrive(b) of the same round → this". "The first depart of a round
/// closes it. Whoever arrives later belongs to the next round, and may do so before
/// everyone has departed from the last one."
void addBarrierEdges(const Trace &Ops, Relation &HB) {
  struct Arrival {
    size_t Index;
    size_t Round; ///< of this barrier, from 0 on
  };
  std::vector<Arrival> Arrivals;
  /// The round that whoever arrives at the barrier now belongs to, for every barrier
  /// where somebody has departed; the others are in round 0.
  std::vector<std::pair<uint64_t, size_t>> OpenRounds;

  for (size_t To = 0; To < Ops.size(); ++To) {
    const Operation &Op = Ops[To];
    if (Op.Kind != OpKind::Arrive && Op.Kind != OpKind::Depart)
      continue;
    auto Open = std::find_if(OpenRounds.begin(), OpenRounds.end(),
                             [&](const auto &Entry) { return Entry.first == Op.Target; });
    if (Open == OpenRounds.end())
      Open = OpenRounds.insert(Open, {Op.Target, 0});

    if (Op.Kind == OpKind::Arrive) {
      Arrivals.push_back({To, Open->second});
      continue;
    }
    // A thread departs from the round of its latest arrival.
    auto Own = std::find_if(Arrivals.rbegin(), Arrivals.rend(), [&](const Arrival &A) {
      return Ops[A.Index].Thread == Op.Thread && Ops[A.Index].Target == Op.Target;
    });
    assert(Own != Arrivals.rend() && "departs without having arrived");
    if (Own->Round == Open->second)
      ++Open->second;
    for (const Arrival &A : Arrivals)
      if (Ops[A.Index].Target == Op.Target && A.Round == Own->Round)
        HB.add(A.Index, To);
  }
}

/// `once(o)`: "the first → each later one".
void addOnceEdges(const Trace &Ops, Relation &HB) {
  for (size_t To = 0; To < Ops.size(); ++To)
    if (Ops[To].Kind == OpKind::Once)
      for (size_t From = 0; From < To; ++From)
        if (Ops[From].Kind == OpKind::Once && Ops[From].Target == Ops[To].Target) {
          HB.add(From, To);
          break;
        }
}

//===----------------------------------------------------------------------===//
// Edges of atomics
//===----------------------------------------------------------------------===//

bool covers(const Operation &Op, uint64_t Byte) {
  return Byte >= Op.Target && Byte - Op.Target < Op.Size;
}

/// All that decides what an atomic load reads: the atomic writes, and the allocations
/// that make earlier ones unreadable. Plain accesses and frees take no part.
std::vector<size_t> atomicHistory(const Trace &Ops) {
  std::vector<size_t> History;
  for (size_t I = 0; I < Ops.size(); ++I)
    if (Ops[I].Kind == OpKind::AtomicStore || Ops[I].Kind == OpKind::AtomicRmw ||
        Ops[I].Kind == OpKind::Allocate)
      History.push_back(I);
  return History;
}

/// Bytes of B that stand for all of its bytes: the first one, and wherever an operation
/// of the history begins or has just ended.
std::vector<uint64_t> representativeBytes(const Trace &Ops, const std::vector<size_t> &History,
                                          size_t B) {
  std::vector<uint64_t> Bytes = {Ops[B].Target};
  for (size_t W : History)
    for (uint64_t Byte : {Ops[W].Target, Ops[W].Target + Ops[W].Size})
      if (W < B && covers(Ops[B], Byte) &&
          std::find(Bytes.begin(), Bytes.end(), Byte) == Bytes.end())
        Bytes.push_back(Byte);
  return Bytes;
}

/// "A load reads what the last store or read-modify-write before it in the trace stored,
/// byte by byte." "A release sequence headed by an atomic write A of thread t, on a byte: A,
/// and the writes that follow it without a gap as long as each is either by t or a
/// read-modify-write. A store by another thread ends it, and so does an alloc of the byte."
///
/// Returns every A that heads a release sequence on Byte with what B reads there. Goes back
/// from what B reads: A qualifies if all stores after A, up to there, are by A's thread.
std::vector<size_t> releaseSequenceHeads(const Trace &Ops, const std::vector<size_t> &History,
                                         size_t B, uint64_t Byte) {
  std::vector<size_t> Heads;
  std::optional<ThreadId> StoresBy; // who did the stores (not read-modify-writes) after A
  for (size_t H = History.size(); H-- > 0;) {
    size_t A = History[H];
    if (A >= B || !covers(Ops[A], Byte))
      continue;
    if (Ops[A].Kind == OpKind::Allocate)
      break;
    if (!StoresBy || *StoresBy == Ops[A].Thread)
      Heads.push_back(A);
    if (Ops[A].Kind == OpKind::AtomicStore) {
      if (StoresBy && *StoresBy != Ops[A].Thread)
        break; // stores by two threads: nothing further back heads what B reads
      StoresBy = Ops[A].Thread;
    }
  }
  return Heads;
}

/// "Release side: an atomic write A with release order, or an atomic write A of any order
/// with a fence of release order before it in the same thread. The edge starts at A in the
/// first case, at that fence (the latest such one) in the second."
std::vector<size_t> releaseSide(const Trace &Ops, size_t A) {
  std::vector<size_t> Side;
  if (isRelease(Ops[A].Order))
    Side.push_back(A);
  for (size_t F = A; F-- > 0;)
    if (Ops[F].Kind == OpKind::Fence && Ops[F].Thread == Ops[A].Thread && isRelease(Ops[F].Order)) {
      Side.push_back(F);
      break;
    }
  return Side;
}

/// "Acquire side: an atomic load or read-modify-write B with acquire order, or one of any
/// order with a fence of acquire order after it in the same thread. The edge ends at B in
/// the first case, at the fence in the second (every such later fence)."
std::vector<size_t> acquireSide(const Trace &Ops, size_t B) {
  std::vector<size_t> Side;
  if (isAcquire(Ops[B].Order))
    Side.push_back(B);
  for (size_t F = B + 1; F < Ops.size(); ++F)
    if (Ops[F].Kind == OpKind::Fence && Ops[F].Thread == Ops[B].Thread && isAcquire(Ops[F].Order))
      Side.push_back(F);
  return Side;
}

/// "If B reads, on some byte, a write that is in the release sequence headed by A, the edge
/// from A's side to B's side is there."
void addAtomicEdges(const Trace &Ops, Relation &HB) {
  const std::vector<size_t> History = atomicHistory(Ops);
  for (size_t B = 0; B < Ops.size(); ++B) {
    if (Ops[B].Kind != OpKind::AtomicLoad && Ops[B].Kind != OpKind::AtomicRmw)
      continue;
    const std::vector<size_t> ToSide = acquireSide(Ops, B);
    if (ToSide.empty())
      continue;
    for (uint64_t Byte : representativeBytes(Ops, History, B))
      for (size_t A : releaseSequenceHeads(Ops, History, B, Byte))
        for (size_t From : releaseSide(Ops, A))
          for (size_t To : ToSide)
            HB.add(From, To);
  }
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

Relation happensBefore(const Trace &Ops) {
  Relation HB(Ops.size());
  addProgramOrder(Ops, HB);
  addForkEdges(Ops, HB);
  addJoinEdges(Ops, HB);
  addExclusiveLockEdges(Ops, HB);
  addSharedLockEdges(Ops, HB);
  addBarrierEdges(Ops, HB);
  addOnceEdges(Ops, HB);
  addAtomicEdges(Ops, HB);
  HB.closeTransitively();
  return HB;
}

struct Range {
  uint64_t Begin;
  uint64_t End; ///< one past the last byte
};

Range rangeOf(const Operation &Op) { return {Op.Target, Op.Target + Op.Size}; }

/// What is left of the ranges without the bytes of Hole.
std::vector<Range> subtract(const std::vector<Range> &Ranges, Range Hole) {
  std::vector<Range> Left;
  for (Range R : Ranges)
    for (Range Part :
         {Range{R.Begin, std::min(R.End, Hole.Begin)}, Range{std::max(R.Begin, Hole.End), R.End}})
      if (Part.Begin < Part.End)
        Left.push_back(Part);
  return Left;
}

/// "Two operations of different threads conflict on a byte if both access it, at least one
/// writes it, and not both are atomic. free writes every byte of its allocation. An alloc
/// separates two lives of a byte: accesses before it and after it never conflict."
std::vector<Range> conflictingBytes(const Trace &Ops, size_t First, size_t Second) {
  const Operation &A = Ops[First], &B = Ops[Second];
  Range Common = {std::max(rangeOf(A).Begin, rangeOf(B).Begin),
                  std::min(rangeOf(A).End, rangeOf(B).End)};
  if (Common.Begin >= Common.End || A.Thread == B.Thread || !isAccess(A.Kind) ||
      !isAccess(B.Kind) || !(isWriteAccess(A.Kind) || isWriteAccess(B.Kind)) ||
      (isAtomicAccess(A.Kind) && isAtomicAccess(B.Kind)))
    return {};
  std::vector<Range> SameLife = {Common};
  for (size_t I = First + 1; I < Second; ++I)
    if (Ops[I].Kind == OpKind::Allocate)
      SameLife = subtract(SameLife, rangeOf(Ops[I]));
  return SameLife;
}

/// "A race is a pair of conflicting operations that happens-before does not order."
std::vector<Range> racyRanges(const Trace &Ops, const Relation &HB, size_t First, size_t Second) {
  if (HB.holds(First, Second))
    return {};
  return conflictingBytes(Ops, First, Second);
}

/// The union of the ranges, byte by byte, each byte once and in order.
std::set<uint64_t> bytesOf(std::vector<Range> Ranges) {
  std::sort(Ranges.begin(), Ranges.end(),
            [](const Range &A, const Range &B) { return A.Begin < B.Begin; });
  std::set<uint64_t> Bytes;
  uint64_t Next = 0; // all bytes of earlier ranges are below
  for (const Range &R : Ranges) {
    for (uint64_t Byte = std::max(R.Begin, Next); Byte < R.End; ++Byte)
      Bytes.insert(Bytes.end(), Byte);
    Next = std::max(Next, R.End);
  }
  return Bytes;
}

} // namespace

size_t OracleResult::firstRacyOperation(size_t TraceLength) const {
  size_t First = TraceLength;
  for (const auto &[Earlier, Later] : Races)
    First = std::min(First, Later);
  return First;
}

OracleResult runOracle(const Trace &Ops) {
  const Relation HB = happensBefore(Ops);
  std::vector<size_t> Accesses;
  for (size_t I = 0; I < Ops.size(); ++I)
    if (isAccess(Ops[I].Kind))
      Accesses.push_back(I);

  OracleResult Result;
  std::vector<Range> Racy;
  for (size_t I = 0; I < Accesses.size(); ++I)
    for (size_t J = I + 1; J < Accesses.size(); ++J) {
      const std::vector<Range> Ranges = racyRanges(Ops, HB, Accesses[I], Accesses[J]);
      if (Ranges.empty())
        continue;
      Result.Races.emplace_back(Accesses[I], Accesses[J]);
      Racy.insert(Racy.end(), Ranges.begin(), Ranges.end());
    }
  Result.RacyBytes = bytesOf(std::move(Racy));
  return Result;
}

std::set<uint64_t> racyBytesOfPair(const Trace &Ops, size_t First, size_t Second) {
  if (Second < First)
    std::swap(First, Second);
  if (First == Second || Second >= Ops.size())
    return {};
  return bytesOf(racyRanges(Ops, happensBefore(Ops), First, Second));
}

} // namespace photofinish
