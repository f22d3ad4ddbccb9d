//===- clock.h - Vector clocks ---------------------------------------------===//
//
// A clock maps every thread to the latest of its epochs that is known. Threads
// beyond the stored entries are at 0, the minimal epoch, so that a clock is as long
// as the highest thread it has heard of (verifiedft.txt, Figure 3: VectorClock).
// Entry t holds only the number c of t@c: that entry t is an epoch of thread t is
// then true by construction.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_CLOCK_H
#define PHOTOFINISH_DETECTOR_CLOCK_H

#include "detector/array.h"
#include "detector/epoch.h"

namespace photofinish {

class Clock {
public:
  uint64_t get(uint32_t Thread) const { return Thread < Entries.size() ? Entries[Thread] : 0; }
  Epoch epoch(uint32_t Thread) const { return Epoch(Thread, get(Thread)); }
  uint32_t size() const { return Entries.size(); }
  bool isBottom() const { return Entries.empty(); }

  void set(uint32_t Thread, uint64_t Value) {
    Entries.growTo(Thread + 1);
    Entries[Thread] = Value;
  }

  /// t@c ≤ V
  bool covers(Epoch E) const { return E.clock() <= get(E.thread()); }

  /// V := V ⊔ Other
  void join(const Clock &Other) {
    Entries.growTo(Other.size());
    for (uint32_t T = 0, N = Other.size(); T < N; ++T)
      if (Entries[T] < Other.Entries[T])
        Entries[T] = Other.Entries[T];
  }

  /// V := Other
  void assign(const Clock &Other) {
    clear();
    join(Other);
  }

  /// V := ⊥; keeps the memory for the next assignment.
  void clear() { Entries.clear(); }

  /// V ⊑ Other
  bool isBefore(const Clock &Other) const {
    for (uint32_t T = 0, N = size(); T < N; ++T)
      if (Entries[T] > Other.get(T))
        return false;
    return true;
  }

private:
  Array<uint64_t> Entries;
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_CLOCK_H
