//===- fasttrack.h - FastTrack as published in 2009 -------------------------===//
//
// Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection",
// PLDI 2009. VerifiedFT changed three of its rules (verifiedft.txt, section 3), and
// those are what this file has of its own:
//
//   * there is no [READ SHARED SAME EPOCH];
//   * [WRITE SHARED] forgets all reads, since whatever races with them later races
//     with the write as well;
//   * [JOIN] starts a new epoch of the thread that was joined.
//
// For a single-threaded host: taking SHARED back is what v2's lock-free reads forbid.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_FASTTRACK_H
#define PHOTOFINISH_DETECTOR_FASTTRACK_H

#include "detector/rules.h"

namespace photofinish {

namespace rule {

/// Sx.R = SHARED  ⟹  Sx.W := Et, Sx.R := ⊥
inline bool writeSharedReset(ThreadState &T, Cell &X, Note N) PF_REQUIRES(X) {
  if (!X.read().isShared())
    return false;
  X.setWrite(T.now(), N);
  X.forgetReads();
  return T.fired(Rule::WriteShared);
}

} // namespace rule

struct FastTrack {
  template <class Fn> static void read(ThreadState &T, Cell &X, Note N, Fn &&OnRace) {
    if (rule::readSameEpoch(T, X))
      return;
    X.assertOwned();
    rule::readSlow(T, X, N, OnRace);
  }

  template <class Fn> static void write(ThreadState &T, Cell &X, Note N, Fn &&OnRace) {
    if (rule::writeSameEpoch(T, X))
      return;
    X.assertOwned();
    rule::writeWriteRace(T, X, OnRace);
    rule::readWriteRace(T, X, OnRace) || rule::sharedWriteRace(T, X, OnRace);
    rule::writeExclusive(T, X, N) || rule::writeSharedReset(T, X, N);
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_FASTTRACK_H
