//===- rules.h - VerifiedFT's analysis rules, one function each ------------===//
//
// Figure 2 of verifiedft.txt. Every function is one rule and carries its name: it
// tests the rule's premises, and if they hold it makes the rule's change, counts
// itself and returns true. How the functions are strung together, and which of them
// run without a lock, is the business of the detectors that call them.
//
// One thing differs from the figure: the paper stops at the first race, we go on.
// So a race rule reports and leaves the state alone, and the premise "W ≤ V" of the
// rules that come after it in every handler is not tested again. A pair reported
// later is real all the same: whether a recorded epoch is covered by a thread's
// clock does not depend on any earlier verdict.
//
// A cell is whatever has Cell's functions (detector/cell.h; shadow/granule.h has another).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_RULES_H
#define PHOTOFINISH_DETECTOR_RULES_H

#include "detector/cell.h"
#include "detector/thread_state.h"

namespace photofinish::rule {

/// Sx.R = Et
inline bool readSameEpoch(ThreadState &T, const auto &X) {
  return X.isReadAt(T.now()) && T.fired(Rule::ReadSameEpoch);
}

/// Sx.R = SHARED, Sx.V(t) = Et
inline bool readSharedSameEpoch(ThreadState &T, const auto &X) {
  return X.isReadShared() && X.lastReadOf(T.id()) == T.now().clock() &&
         T.fired(Rule::ReadSharedSameEpoch);
}

/// Sx.W ≰ St.V. OnRace is told the earlier access: its epoch, note and kind.
template <class Fn> bool writeReadRace(ThreadState &T, const auto &X, Fn &&OnRace) PF_REQUIRES(X) {
  if (X.isWriteBefore(T.clock()))
    return false;
  OnRace(X.write(), X.writeNote(), AccessKind::Write);
  return T.fired(Rule::WriteReadRace);
}

/// Sx.R = SHARED  ⟹  Sx.V(t) := Et
inline bool readShared(ThreadState &T, auto &X, Note N) PF_REQUIRES(X) {
  if (!X.isReadShared())
    return false;
  X.setSharedRead(T.now(), N);
  return T.fired(Rule::ReadShared);
}

/// Sx.R ≠ SHARED, Sx.R ≤ St.V  ⟹  Sx.R := Et
inline bool readExclusive(ThreadState &T, auto &X, Note N) PF_REQUIRES(X) {
  if (X.isReadShared() || !X.isReadBefore(T.clock()))
    return false;
  X.setRead(T.now(), N);
  return T.fired(Rule::ReadExclusive);
}

/// Sx.R = u@c, u ≠ t  ⟹  Sx.R := SHARED, Sx.V := ⊥[t := Et, u := Sx.R]
inline bool readShare(ThreadState &T, auto &X, Note N) PF_REQUIRES(X) {
  if (X.isReadShared() || X.read().thread() == T.id())
    return false;
  X.share(T.now(), N);
  return T.fired(Rule::ReadShare);
}

/// Sx.W = Et
inline bool writeSameEpoch(ThreadState &T, const auto &X) {
  return X.isWrittenAt(T.now()) && T.fired(Rule::WriteSameEpoch);
}

/// Sx.W ≰ St.V
template <class Fn> bool writeWriteRace(ThreadState &T, const auto &X, Fn &&OnRace) PF_REQUIRES(X) {
  if (X.isWriteBefore(T.clock()))
    return false;
  OnRace(X.write(), X.writeNote(), AccessKind::Write);
  return T.fired(Rule::WriteWriteRace);
}

/// Sx.R ≠ SHARED, Sx.R ≰ St.V
template <class Fn> bool readWriteRace(ThreadState &T, const auto &X, Fn &&OnRace) PF_REQUIRES(X) {
  if (X.isReadShared() || X.isReadBefore(T.clock()))
    return false;
  OnRace(X.read(), X.readNote(), AccessKind::Read);
  return T.fired(Rule::ReadWriteRace);
}

/// V ⋢ St.V; OnRace is told of every access in V that St.V does not cover.
template <class Fn>
bool anyUncovered(const ThreadState &T, const auto &V, AccessKind Kind, Fn &&OnRace) {
  bool Found = false;
  V.forEach([&](Epoch E, Note N) {
    if (T.clock().covers(E))
      return;
    Found = true;
    OnRace(E, N, Kind);
  });
  return Found;
}

/// Sx.R = SHARED, Sx.V ⋢ St.V
template <class Fn>
bool sharedWriteRace(ThreadState &T, const auto &X, Fn &&OnRace) PF_REQUIRES(X) {
  return X.isReadShared() && anyUncovered(T, X.reads(), AccessKind::Read, OnRace) &&
         T.fired(Rule::SharedWriteRace);
}

/// Sx.R ≠ SHARED  ⟹  Sx.W := Et
inline bool writeExclusive(ThreadState &T, auto &X, Note N) PF_REQUIRES(X) {
  if (X.isReadShared())
    return false;
  X.setWrite(T.now(), N);
  return T.fired(Rule::WriteExclusive);
}

/// Sx.R = SHARED  ⟹  Sx.W := Et
inline bool writeShared(ThreadState &T, auto &X, Note N) PF_REQUIRES(X) {
  if (!X.isReadShared())
    return false;
  X.setWrite(T.now(), N);
  return T.fired(Rule::WriteShared);
}

/// The part of a read that needs the cell: every rule but the two same-epoch ones.
template <class Fn> void readSlow(ThreadState &T, auto &X, Note N, Fn &&OnRace) PF_REQUIRES(X) {
  writeReadRace(T, X, OnRace);
  readShared(T, X, N) || readExclusive(T, X, N) || readShare(T, X, N);
}

/// The part of a write that needs the cell: every rule but [WRITE SAME EPOCH].
template <class Fn> void writeSlow(ThreadState &T, auto &X, Note N, Fn &&OnRace) PF_REQUIRES(X) {
  writeWriteRace(T, X, OnRace);
  readWriteRace(T, X, OnRace) || sharedWriteRace(T, X, OnRace);
  writeExclusive(T, X, N) || writeShared(T, X, N);
}

} // namespace photofinish::rule

#endif // PHOTOFINISH_DETECTOR_RULES_H
