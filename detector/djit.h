//===- djit.h - DJIT+: full clocks everywhere -------------------------------===//
//
// The naive baseline that FastTrack improved on: a location keeps the last read and
// the last write of every thread, and an access is compared with all of them. Only
// the first read and the first write of an epoch are looked at. Nothing is ever
// forgotten, so it flags exactly those of the accesses it looks at that race with
// some earlier access, at locations that have raced before as well.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_DJIT_H
#define PHOTOFINISH_DETECTOR_DJIT_H

#include "detector/rules.h"

namespace photofinish {

/// The last access of each kind by every thread.
struct DjitLocation {
  AccessClock Reads, Writes, AtomicReads, AtomicWrites;

  void copyFrom(const DjitLocation &Other) {
    Reads.copyFrom(Other.Reads);
    Writes.copyFrom(Other.Writes);
    AtomicReads.copyFrom(Other.AtomicReads);
    AtomicWrites.copyFrom(Other.AtomicWrites);
  }
  void reset() {
    Reads.clear();
    Writes.clear();
    AtomicReads.clear();
    AtomicWrites.clear();
  }
};

struct Djit {
  using Location = DjitLocation;

  static bool isTouched(const Location &X) {
    return !X.Reads.isBottom() || !X.Writes.isBottom() || !X.AtomicReads.isBottom() ||
           !X.AtomicWrites.isBottom();
  }

  template <class Fn> static void read(ThreadState &T, Location &X, Note N, Fn &&OnRace) {
    if (sameEpoch(T, X.Reads) && T.fired(Rule::ReadSameEpoch))
      return;
    if (rule::anyUncovered(T, X.Writes, AccessKind::Write, OnRace))
      T.fired(Rule::WriteReadRace);
    if (rule::anyUncovered(T, X.AtomicWrites, AccessKind::AtomicWrite, OnRace))
      T.fired(Rule::AtomicReadRace);
    X.Reads.set(T.now(), N);
    T.fired(Rule::DjitRead);
  }

  template <class Fn> static void write(ThreadState &T, Location &X, Note N, Fn &&OnRace) {
    if (sameEpoch(T, X.Writes) && T.fired(Rule::WriteSameEpoch))
      return;
    if (rule::anyUncovered(T, X.Writes, AccessKind::Write, OnRace))
      T.fired(Rule::WriteWriteRace);
    if (rule::anyUncovered(T, X.Reads, AccessKind::Read, OnRace))
      T.fired(Rule::ReadWriteRace);
    bool Atomic = rule::anyUncovered(T, X.AtomicWrites, AccessKind::AtomicWrite, OnRace);
    if (rule::anyUncovered(T, X.AtomicReads, AccessKind::AtomicRead, OnRace) || Atomic)
      T.fired(Rule::AtomicWriteRace);
    X.Writes.set(T.now(), N);
    T.fired(Rule::DjitWrite);
  }

  template <class Fn> static void atomicRead(ThreadState &T, Location &X, Note N, Fn &&OnRace) {
    if (sameEpoch(T, X.AtomicReads) && T.fired(Rule::ReadSameEpoch))
      return;
    if (rule::anyUncovered(T, X.Writes, AccessKind::Write, OnRace))
      T.fired(Rule::WriteAtomicRace);
    X.AtomicReads.set(T.now(), N);
    T.fired(Rule::AtomicRead);
  }

  template <class Fn> static void atomicWrite(ThreadState &T, Location &X, Note N, Fn &&OnRace) {
    if (sameEpoch(T, X.AtomicWrites) && T.fired(Rule::WriteSameEpoch))
      return;
    if (rule::anyUncovered(T, X.Writes, AccessKind::Write, OnRace))
      T.fired(Rule::WriteAtomicRace);
    if (rule::anyUncovered(T, X.Reads, AccessKind::Read, OnRace))
      T.fired(Rule::ReadAtomicRace);
    X.AtomicWrites.set(T.now(), N);
    T.fired(Rule::AtomicWrite);
  }

private:
  static bool sameEpoch(const ThreadState &T, const AccessClock &V) {
    return V.get(T.id()) == T.now().clock();
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_DJIT_H
