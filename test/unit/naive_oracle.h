//===- naive_oracle.h - The oracle once more, slower still ----------------===//
//
// A second reading of docs/traces.md, against which the oracle is tested. It differs in
// every step: an edge is a predicate over two operations instead of something that a
// walk finds, the closure is Floyd-Warshall's, release sequences are followed forward
// from their heads, and every byte is looked at for itself.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_NAIVE_ORACLE_H
#define PHOTOFINISH_TEST_UNIT_NAIVE_ORACLE_H

#include "trace/stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace photofinish {

class NaiveOracle {
public:
  explicit NaiveOracle(const Trace &Ops) : Ops(Ops), Before(Ops.size()) {
    findRounds();
    size_t N = Ops.size();
    for (size_t I = 0; I < N; ++I) {
      Before[I].resize(N);
      for (size_t J = I + 1; J < N; ++J)
        Before[I][J] = directEdge(I, J);
    }
    for (size_t K = 0; K < N; ++K)
      for (size_t I = 0; I < N; ++I)
        for (size_t J = 0; Before[I][K] && J < N; ++J)
          Before[I][J] = Before[I][J] || Before[K][J];
  }

  std::set<uint64_t> racyBytes(size_t I, size_t J) const {
    std::set<uint64_t> Result;
    const Operation &A = Ops[I], &B = Ops[J];
    if (Before[I][J] || A.Thread == B.Thread || !isAccess(A.Kind) || !isAccess(B.Kind) ||
        (isAtomicAccess(A.Kind) && isAtomicAccess(B.Kind)) ||
        (!isWriteAccess(A.Kind) && !isWriteAccess(B.Kind)))
      return Result;
    for (uint64_t X = A.Target; X < A.Target + A.Size; ++X)
      if (touches(J, X) &&
          std::none_of(Ops.begin() + long(I), Ops.begin() + long(J), [&](const Operation &Op) {
            return Op.Kind == OpKind::Allocate && Op.Target <= X && X < Op.Target + Op.Size;
          }))
        Result.insert(X);
    return Result;
  }

private:
  const Trace &Ops;
  std::vector<std::vector<char>> Before;
  std::map<size_t, std::set<size_t>> RoundOfDepart; ///< index of depart -> its arrivals

  bool touches(size_t I, uint64_t X) const {
    return Ops[I].Target <= X && X < Ops[I].Target + Ops[I].Size;
  }
  bool is(size_t I, OpKind Kind) const { return Ops[I].Kind == Kind; }

  /// Waiting threads sit in rounds; somebody who leaves shuts the door of their round.
  void findRounds() {
    struct Round {
      std::set<size_t> Arrivals;
      bool Shut = false;
    };
    std::map<uint64_t, std::vector<Round>> Rounds;
    std::map<ThreadId, size_t> RoundOfThread;
    for (size_t I = 0; I < Ops.size(); ++I) {
      std::vector<Round> &Of = Rounds[Ops[I].Target];
      if (is(I, OpKind::Arrive)) {
        if (Of.empty() || Of.back().Shut)
          Of.emplace_back();
        Of.back().Arrivals.insert(I);
        RoundOfThread[Ops[I].Thread] = Of.size() - 1;
      } else if (is(I, OpKind::Depart)) {
        Round &Mine = Of[RoundOfThread[Ops[I].Thread]];
        Mine.Shut = true;
        RoundOfDepart[I] = Mine.Arrivals;
      }
    }
  }

  /// Whether the atomic load or read-modify-write R reads, on X, from the release sequence
  /// that A heads: follows the sequence forward from A.
  bool readsSequenceOf(size_t A, size_t R, uint64_t X) const {
    bool InSequence = true;
    for (size_t I = A + 1; I < R; ++I) {
      if (!touches(I, X))
        continue;
      if (is(I, OpKind::Allocate))
        InSequence = false;
      if (is(I, OpKind::AtomicStore) && Ops[I].Thread != Ops[A].Thread)
        InSequence = false;
    }
    return InSequence;
  }

  /// A's write is read by R, and I and J are on their release and acquire sides.
  bool synchronizes(size_t I, size_t J, size_t A, size_t R) const {
    bool IsWrite = is(A, OpKind::AtomicStore) || is(A, OpKind::AtomicRmw);
    bool IsRead = is(R, OpKind::AtomicLoad) || is(R, OpKind::AtomicRmw);
    if (!IsWrite || !IsRead || Ops[I].Thread != Ops[A].Thread || Ops[J].Thread != Ops[R].Thread)
      return false;
    if ((I != A && !is(I, OpKind::Fence)) || (J != R && !is(J, OpKind::Fence)) ||
        !isRelease(Ops[I].Order) || !isAcquire(Ops[J].Order))
      return false;
    for (uint64_t X = Ops[R].Target; X < Ops[R].Target + Ops[R].Size; ++X)
      if (touches(A, X) && readsSequenceOf(A, R, X))
        return true;
    return false;
  }

  bool directEdge(size_t I, size_t J) const {
    const Operation &A = Ops[I], &B = Ops[J];
    if (A.Thread == B.Thread)
      return true;
    if ((is(I, OpKind::Fork) && A.Target == B.Thread) ||
        (is(J, OpKind::Join) && B.Target == A.Thread))
      return true;

    uint64_t Given = is(I, OpKind::Wait) ? A.Lock : A.Target;
    uint64_t Taken = is(J, OpKind::Wake) ? B.Lock : B.Target;
    bool GivesExclusive = is(I, OpKind::Release) || is(I, OpKind::Wait);
    bool TakesExclusive = is(J, OpKind::Acquire) || is(J, OpKind::Wake);
    if (Given == Taken && ((GivesExclusive && (TakesExclusive || is(J, OpKind::ReadLock))) ||
                           (is(I, OpKind::ReadUnlock) && TakesExclusive)))
      return true;

    if (is(J, OpKind::Depart) && RoundOfDepart.at(J).count(I))
      return true;

    if (is(I, OpKind::Once) && is(J, OpKind::Once) && A.Target == B.Target &&
        std::none_of(Ops.begin(), Ops.begin() + long(I), [&](const Operation &Op) {
          return Op.Kind == OpKind::Once && Op.Target == A.Target;
        }))
      return true;

    for (size_t W = I; W < J; ++W)
      for (size_t R = W + 1; R <= J; ++R)
        if (synchronizes(I, J, W, R))
          return true;
    return false;
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_NAIVE_ORACLE_H
