//===- recent_granules.h - What a thread has just checked -----------------------===//
//
// Most accesses repeat one that the thread has made in the same epoch. Where the shadow does not
// say so at a glance (bytes that share their granule with others, reads of several threads), a
// small table of the thread's own does: the cache of choi02.txt, section 4, by granule.
//
//    63          30 29       16 15      8 7       0
//   +--------------+-----------+---------+---------+
//   | granule / 512| round     | written | read    |   which bytes, since the epoch began
//   +--------------+-----------+---------+---------+
//
// The round changes with the epoch: nothing has to be cleared, but when it begins anew. Memory that
// becomes somebody else's is forgotten by the thread that gets it; another that knew it has raced.
//
// It belongs to its thread. Zeroed memory is one.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_RECENT_GRANULES_H
#define PHOTOFINISH_SHADOW_RECENT_GRANULES_H

#include "shadow/line.h"

#include <cstring>

namespace photofinish {

class RecentGranules {
public:
  /// Have these bytes of the granule of an address been written; or read or written?
  PF_INLINE bool has(uint64_t Address, uint8_t Mask, bool IsWrite) const {
    uint64_t Its = entryOf(Address) ^ keyOf(Address);
    return !(Its >> 16) && !(Mask & ~(IsWrite ? Its >> 8 : Its | Its >> 8));
  }
  PF_INLINE void add(uint64_t Address, uint8_t Mask, bool IsWrite) {
    uint64_t &Its = entryOf(Address);
    if ((Its ^ keyOf(Address)) >> 16)
      Its = keyOf(Address);
    Its |= uint64_t(Mask) << (IsWrite ? 8 : 0);
  }
  void forget(uint64_t Address, uint64_t Bytes) {
    if (Bytes >= NumEntries * GranuleBytes)
      return beginEpoch();
    for (uint64_t At = Address & ~uint64_t(GranuleBytes - 1); At < Address + Bytes;
         At += GranuleBytes)
      if (uint64_t &Its = entryOf(At); !((Its ^ keyOf(At)) >> 16))
        Its = 0;
  }
  void beginEpoch() {
    Round = (Round + 1) % NumRounds;
    if (!Round)
      std::memset(Of, 0, sizeof(Of));
  }

private:
  static constexpr uint64_t NumEntries = 512, NumRounds = 1 << 14;

  // Entry 0 of round 0 would be known to be nothing: no bits are set.
  uint64_t keyOf(uint64_t Address) const {
    return Address / GranuleBytes / NumEntries << 30 | uint64_t(Round) << 16;
  }
  uint64_t &entryOf(uint64_t Address) { return Of[Address / GranuleBytes % NumEntries]; }
  uint64_t entryOf(uint64_t Address) const { return Of[Address / GranuleBytes % NumEntries]; }

  uint32_t Round = 0;
  uint64_t Of[NumEntries] = {};
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_RECENT_GRANULES_H
