//===- byte_shadow.h - Every byte by itself --------------------------------------===//
//
// The rules on cells of their own for every byte: nothing to split, join, or number. What shadows
// that do are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_BYTE_SHADOW_H
#define PHOTOFINISH_TEST_UNIT_BYTE_SHADOW_H

#include "detector/atomic_access.h"
#include "detector/verifiedft.h"

#include <memory>
#include <set>
#include <tuple>

namespace photofinish {

/// Byte, epoch of the first access, its note and kind.
using ByteRaces = std::set<std::tuple<uint64_t, uint64_t, Note, AccessKind>>;

class ByteShadow {
public:
  explicit ByteShadow(uint64_t Size) : Bytes(new Byte[Size]) {}

  void access(ThreadState &T, uint64_t At, AccessKind Kind, Note N, ByteRaces &Found) {
    Byte &B = Bytes[At];
    auto OnRace = [&](Epoch First, Note FirstNote, AccessKind FirstKind) {
      Found.insert({At, First.bits(), FirstNote, FirstKind});
    };
    B.X.assertOwned();
    switch (Kind) {
    case AccessKind::Read:
      rule::atomicReadRace(T, B.Atomics, OnRace);
      return VerifiedFTOwned::read(T, B.X, N, OnRace);
    case AccessKind::Write:
      rule::atomicWriteRace(T, B.Atomics, OnRace);
      return VerifiedFTOwned::write(T, B.X, N, OnRace);
    case AccessKind::AtomicRead:
      return rule::atomicRead(T, B.X, B.Atomics, N, OnRace);
    case AccessKind::AtomicWrite:
      return rule::atomicWrite(T, B.X, B.Atomics, N, OnRace);
    }
  }
  void forget(uint64_t At) {
    Bytes[At].X.assertOwned();
    Bytes[At].X.reset();
    Bytes[At].Atomics.Reads.clear();
    Bytes[At].Atomics.Writes.clear();
  }
  bool isTouched(uint64_t At) const {
    const Byte &B = Bytes[At];
    return !B.X.isUntouched() || !B.Atomics.Reads.isBottom() || !B.Atomics.Writes.isBottom();
  }
  const Cell &cell(uint64_t At) const { return Bytes[At].X; }

private:
  struct Byte {
    Cell X;
    AtomicHistory Atomics;
  };
  std::unique_ptr<Byte[]> Bytes;
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_BYTE_SHADOW_H
