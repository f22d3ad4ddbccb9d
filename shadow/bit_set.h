//===- bit_set.h - Sets of locations of one page ------------------------------===//
//
// Footprints and classes of the bit-set SlimState are sets of the locations of a page:
// 512 bits at eight-byte grain, one cache line, up to 4096 at byte grain. The algebra
// is plain loops over words, which the compiler turns into vector instructions.
// Operands of one operation have the same length: the page's locations.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_BIT_SET_H
#define PHOTOFINISH_SHADOW_BIT_SET_H

#include "detector/array.h"

#include <bit>

namespace photofinish {

class BitSet {
public:
  BitSet() = default;
  /// No bit of Bits is set; Bits is a multiple of 64.
  explicit BitSet(uint32_t Bits) { Words.growTo(Bits / 64); }

  BitSet copy() const {
    BitSet Result(bits());
    for (uint32_t I = 0; I < Words.size(); ++I)
      Result.Words[I] = Words[I];
    return Result;
  }

  uint32_t bits() const { return Words.size() * 64; }
  bool test(uint32_t I) const { return Words[I / 64] >> (I % 64) & 1; }

  /// Sets First..Last; true if one of them was not set.
  bool setRun(uint32_t First, uint32_t Last) {
    uint64_t New = 0;
    for (uint32_t W = First / 64; W <= Last / 64; ++W) {
      uint64_t Mask = mask(W, First, Last);
      New |= Mask & ~Words[W];
      Words[W] |= Mask;
    }
    return New;
  }
  void clearRun(uint32_t First, uint32_t Last) {
    for (uint32_t W = First / 64; W <= Last / 64; ++W)
      Words[W] &= ~mask(W, First, Last);
  }

  bool isEmpty() const {
    uint64_t Any = 0;
    for (uint64_t W : Words)
      Any |= W;
    return !Any;
  }
  uint32_t count() const {
    uint32_t N = 0;
    for (uint64_t W : Words)
      N += uint32_t(std::popcount(W));
    return N;
  }
  bool meets(const BitSet &Other) const {
    uint64_t Any = 0;
    for (uint32_t I = 0; I < Words.size(); ++I)
      Any |= Words[I] & Other.Words[I];
    return Any;
  }
  void operator|=(const BitSet &Other) {
    for (uint32_t I = 0; I < Words.size(); ++I)
      Words[I] |= Other.Words[I];
  }
  void operator-=(const BitSet &Other) {
    for (uint32_t I = 0; I < Words.size(); ++I)
      Words[I] &= ~Other.Words[I];
  }
  BitSet operator&(const BitSet &Other) const {
    BitSet Result(bits());
    for (uint32_t I = 0; I < Words.size(); ++I)
      Result.Words[I] = Words[I] & Other.Words[I];
    return Result;
  }
  bool operator==(const BitSet &Other) const {
    uint64_t Different = 0;
    for (uint32_t I = 0; I < Words.size(); ++I)
      Different |= Words[I] ^ Other.Words[I];
    return !Different;
  }

  /// Calls Visit(first, last) for every maximal run of set bits.
  template <class Fn> void forEachRun(Fn &&Visit) const {
    for (uint32_t I = 0; I < bits();) {
      uint64_t Rest = Words[I / 64] >> (I % 64);
      if (!Rest) {
        I = (I / 64 + 1) * 64;
        continue;
      }
      I += uint32_t(std::countr_zero(Rest));
      uint32_t Last = I;
      while (Last + 1 < bits() && test(Last + 1))
        ++Last;
      Visit(I, Last);
      I = Last + 1;
    }
  }

  /// The same set at a finer grain: every location becomes Factor locations.
  BitSet refined(uint32_t Factor) const {
    BitSet Result(bits() * Factor);
    forEachRun([&](uint32_t First, uint32_t Last) {
      Result.setRun(First * Factor, Last * Factor + Factor - 1);
    });
    return Result;
  }

private:
  /// The bits First..Last as far as they lie in word W.
  static uint64_t mask(uint32_t W, uint32_t First, uint32_t Last) {
    uint64_t Mask = ~uint64_t(0);
    if (W == First / 64)
      Mask &= ~uint64_t(0) << (First % 64);
    if (W == Last / 64)
      Mask &= ~uint64_t(0) >> (63 - Last % 64);
    return Mask;
  }

  Array<uint64_t> Words;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_BIT_SET_H
