//===- byte_shadow.h - Every byte by itself --------------------------------------===//
//
// What shadows remember of a byte (shadow/granule.h), written out: nothing to split, join, or
// number. What is clever about it is left to them, but for one thing: an access that another
// dominates is forgotten, so that both name the same pairs.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_BYTE_SHADOW_H
#define PHOTOFINISH_TEST_UNIT_BYTE_SHADOW_H

#include "detector/cell.h"
#include "detector/thread_state.h"

#include <set>
#include <tuple>
#include <vector>

namespace photofinish {

/// Byte, epoch of the first access, its note and kind.
using ByteRaces = std::set<std::tuple<uint64_t, uint64_t, Note, AccessKind>>;

class ByteShadow {
public:
  explicit ByteShadow(uint64_t Size) : Bytes(Size) {}

  void access(const ThreadState &T, uint64_t At, AccessKind Kind, Note N, ByteRaces &Found) {
    Byte &B = Bytes[At];
    auto Check = [&](AccessKind FirstKind) {
      for (const Access &A : B.Of[unsigned(FirstKind)])
        if (!T.clock().covers(A.When))
          Found.insert({At, A.When.bits(), A.Where, FirstKind});
    };
    auto Forget = [&](AccessKind Other) {
      std::erase_if(B.Of[unsigned(Other)],
                    [&](const Access &A) { return T.clock().covers(A.When); });
    };
    auto Has = [&](AccessKind Other) {
      for (const Access &A : B.Of[unsigned(Other)])
        if (A.When == T.now())
          return true;
      return false;
    };
    using enum AccessKind;
    bool IsPlain = !isAtomic(Kind);
    // Who conflicts with whom (detector/atomic_access.h); what the thread has done in this epoch
    // already has been compared with everything that was there, and everything since with it. Of
    // atomics nobody remembers that there was nothing.
    bool IsKnown = Has(Kind) || (Kind == Read && Has(Write));
    if (IsPlain) {
      Check(AtomicWrite);
      if (Kind == Write)
        Check(AtomicRead);
      if (IsKnown)
        return;
    }
    Check(Write);
    if (isWrite(Kind))
      Check(Read);
    if (IsKnown && Kind == AtomicRead)
      return;
    // Whoever races with what is ordered before this access, later, races with this one.
    if (Kind == Write) {
      Forget(Read);
      Forget(AtomicRead);
      Forget(AtomicWrite);
      B.Of[unsigned(Write)].clear(); // there is one last write
    } else if (Kind == AtomicWrite) {
      Forget(AtomicRead);
    }
    if (IsKnown)
      return;
    if (Kind != Write)
      Forget(Kind);
    B.Of[unsigned(Kind)].push_back({T.now(), N});
  }
  void forget(uint64_t At) { Bytes[At] = {}; }
  /// By plain accesses; and by any.
  bool isTouchedPlainly(uint64_t At) const {
    return !of(At, AccessKind::Read).empty() || !of(At, AccessKind::Write).empty();
  }
  bool isTouched(uint64_t At) const {
    return isTouchedPlainly(At) || !of(At, AccessKind::AtomicRead).empty() ||
           !of(At, AccessKind::AtomicWrite).empty();
  }
  /// Has the thread accessed it so in this epoch?
  bool isAccessedAt(uint64_t At, AccessKind Kind, Epoch Now) const {
    for (const Access &A : of(At, Kind))
      if (A.When == Now)
        return true;
    return false;
  }

private:
  struct Access {
    Epoch When;
    Note Where;
  };
  struct Byte {
    std::vector<Access> Of[4]; // by kind
  };
  const std::vector<Access> &of(uint64_t At, AccessKind Kind) const {
    return Bytes[At].Of[unsigned(Kind)];
  }

  std::vector<Byte> Bytes;
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_BYTE_SHADOW_H
