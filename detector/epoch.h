//===- epoch.h - t@c: thread t at its own clock c --------------------------===//
//
//    63        44 43                                      0
//   +------------+-----------------------------------------+
//   | thread t   | clock c                                 |   t@c
//   +------------+-----------------------------------------+
//   | all ones   | where the readers' clock is kept        |   SHARED
//   +------------+-----------------------------------------+
//
// The minimal epoch is t@0 for any t: every thread starts at clock 1, so no access
// ever has clock 0 (verifiedft.txt, section 3). 2^44 releases of one thread, at one
// every ten nanoseconds, take two days; whoever gets there is told (advance).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_EPOCH_H
#define PHOTOFINISH_DETECTOR_EPOCH_H

#include "detector/host.h"

#include <cstdint>

namespace photofinish {

class Epoch {
public:
  static constexpr unsigned ClockBits = 44;
  static constexpr uint64_t MaxClock = (uint64_t(1) << ClockBits) - 1;
  /// One thread number is SHARED's.
  static constexpr uint32_t MaxThread = (uint32_t(1) << (64 - ClockBits)) - 2;

  constexpr Epoch() = default;
  constexpr Epoch(uint32_t Thread, uint64_t Clock) : Bits(uint64_t(Thread) << ClockBits | Clock) {}

  static constexpr Epoch bottom() { return Epoch(); }
  static constexpr Epoch shared() { return fromBits(~uint64_t(0)); }
  static constexpr Epoch fromBits(uint64_t Bits) {
    Epoch E;
    E.Bits = Bits;
    return E;
  }

  constexpr uint64_t bits() const { return Bits; }
  constexpr uint32_t thread() const { return uint32_t(Bits >> ClockBits); }
  constexpr uint64_t clock() const { return Bits & MaxClock; }
  constexpr bool isShared() const { return thread() == MaxThread + 1; }
  constexpr bool isBottom() const { return clock() == 0; }
  constexpr bool operator==(const Epoch &) const = default;

  /// inc: the same thread, one later.
  Epoch advance() const {
    if (clock() == MaxClock)
      host::giveUp("a thread has released locks 2^44 times: its clock is exhausted");
    return fromBits(Bits + 1);
  }

private:
  uint64_t Bits = 0;
};

static_assert(sizeof(Epoch) == 8);
static_assert(Epoch(5, 7).thread() == 5 && Epoch(5, 7).clock() == 7);
static_assert(Epoch::bottom().isBottom() && Epoch(9, 0).isBottom());
static_assert(Epoch(Epoch::MaxThread, Epoch::MaxClock) != Epoch::shared());

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_EPOCH_H
