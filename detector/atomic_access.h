//===- atomic_access.h - Atomic accesses against plain ones ---------------===//
//
// Atomic accesses never race with each other, so they need not be ordered, and one
// epoch cannot stand for the last of them: a location that atomics touch has, beside
// its cell, the last atomic read and the last atomic write of every thread.
//
//              plain read   plain write   atomic read   atomic write
//   after
//   plain read      -          race            -            race
//   plain write   race         race          race           race
//   atomic read     -          race            -              -
//   atomic write  race         race            -              -
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_ATOMIC_ACCESS_H
#define PHOTOFINISH_DETECTOR_ATOMIC_ACCESS_H

#include "detector/rules.h"

namespace photofinish {

/// Protected by whatever protects the location's cell. The rules take whatever has its functions
/// (shadow/granule.h has another).
struct AtomicHistory {
  AccessClock Reads, Writes;

  void copyFrom(const AtomicHistory &Other) {
    Reads.copyFrom(Other.Reads);
    Writes.copyFrom(Other.Writes);
  }
};

namespace rule {

/// X.W ≰ St.V: an atomic access after a plain write.
template <class Fn>
bool writeAtomicRace(ThreadState &T, const auto &X, Fn &&OnRace) PF_REQUIRES(X) {
  if (X.isWriteBefore(T.clock()))
    return false;
  OnRace(X.write(), X.writeNote(), AccessKind::Write);
  return T.fired(Rule::WriteAtomicRace);
}

/// An atomic write after a plain read.
template <class Fn> bool readAtomicRace(ThreadState &T, const auto &X, Fn &&OnRace) PF_REQUIRES(X) {
  if (X.isReadShared())
    return anyUncovered(T, X.reads(), AccessKind::Read, OnRace) && T.fired(Rule::ReadAtomicRace);
  if (X.isReadBefore(T.clock()))
    return false;
  OnRace(X.read(), X.readNote(), AccessKind::Read);
  return T.fired(Rule::ReadAtomicRace);
}

template <class Fn>
void atomicRead(ThreadState &T, const auto &X, auto &A, Note N, Fn &&OnRace) PF_REQUIRES(X) {
  writeAtomicRace(T, X, OnRace);
  if (A.Reads.get(T.id()) != T.now().clock())
    A.Reads.set(T.now(), N);
  T.fired(Rule::AtomicRead);
}

template <class Fn>
void atomicWrite(ThreadState &T, const auto &X, auto &A, Note N, Fn &&OnRace) PF_REQUIRES(X) {
  writeAtomicRace(T, X, OnRace);
  readAtomicRace(T, X, OnRace);
  if (A.Writes.get(T.id()) != T.now().clock())
    A.Writes.set(T.now(), N);
  T.fired(Rule::AtomicWrite);
}

/// A plain read after an atomic write.
template <class Fn> bool atomicReadRace(ThreadState &T, const auto &A, Fn &&OnRace) {
  return anyUncovered(T, A.Writes, AccessKind::AtomicWrite, OnRace) &&
         T.fired(Rule::AtomicReadRace);
}

/// A plain write after an atomic access of either kind.
template <class Fn> bool atomicWriteRace(ThreadState &T, const auto &A, Fn &&OnRace) {
  bool Writes = anyUncovered(T, A.Writes, AccessKind::AtomicWrite, OnRace);
  bool Reads = anyUncovered(T, A.Reads, AccessKind::AtomicRead, OnRace);
  return (Writes || Reads) && T.fired(Rule::AtomicWriteRace);
}

} // namespace rule
} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_ATOMIC_ACCESS_H
