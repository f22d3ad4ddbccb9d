//===- verifiedft.h - VerifiedFT v1, v1.5 and v2 ---------------------------===//
//
// Three concurrent implementations of one set of rules, callable from many threads
// at once, each thread with its own ThreadState. They differ in what runs without
// the cell's lock (verifiedft.txt, Figures 3 and 4, and section 8):
//
//   V1    nothing
//   V1_5  [READ SAME EPOCH], [WRITE SAME EPOCH]
//   V2    those and [READ SHARED SAME EPOCH]: 85 % of all accesses take no lock
//
// The tests made without the lock are the paper's pure blocks: they change nothing,
// and the handler is right without them.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_VERIFIEDFT_H
#define PHOTOFINISH_DETECTOR_VERIFIEDFT_H

#include "detector/rules.h"

namespace photofinish {

enum class VerifiedFTVersion : uint8_t { V1, V1_5, V2 };

/// OnRace(Epoch First, Note N, AccessKind) is called under the cell's lock.
template <VerifiedFTVersion Version> struct VerifiedFT {
  template <class Fn> static void read(ThreadState &T, LockedCell &X, Note N, Fn &&OnRace) {
    if (Version != VerifiedFTVersion::V1 && rule::readSameEpoch(T, X))
      return;
    if (Version == VerifiedFTVersion::V2 && rule::readSharedSameEpoch(T, X))
      return;
    CellLock Lock(X);
    if (Version == VerifiedFTVersion::V1 && rule::readSameEpoch(T, X))
      return;
    if (Version != VerifiedFTVersion::V2 && rule::readSharedSameEpoch(T, X))
      return;
    rule::readSlow(T, X, N, OnRace);
  }

  template <class Fn> static void write(ThreadState &T, LockedCell &X, Note N, Fn &&OnRace) {
    if (Version != VerifiedFTVersion::V1 && rule::writeSameEpoch(T, X))
      return;
    CellLock Lock(X);
    if (Version == VerifiedFTVersion::V1 && rule::writeSameEpoch(T, X))
      return;
    rule::writeSlow(T, X, N, OnRace);
  }
};

/// The same rules for whoever owns the cell by other means than its lock.
struct VerifiedFTOwned {
  template <class Fn> static void read(ThreadState &T, Cell &X, Note N, Fn &&OnRace) {
    if (rule::readSameEpoch(T, X) || rule::readSharedSameEpoch(T, X))
      return;
    X.assertOwned();
    rule::readSlow(T, X, N, OnRace);
  }
  template <class Fn> static void write(ThreadState &T, Cell &X, Note N, Fn &&OnRace) {
    if (rule::writeSameEpoch(T, X))
      return;
    X.assertOwned();
    rule::writeSlow(T, X, N, OnRace);
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_VERIFIEDFT_H
