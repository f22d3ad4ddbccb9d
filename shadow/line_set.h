//===- line_set.h - Sets of bytes of one page ---------------------------------===//
//
// A page is cut into lines of 64 bytes. A set of a page's bytes has one word for each line, in one
// of two grains: a word of 64 bits has one for every byte, a word of eight bits one for every
// granule of eight bytes. Nearly all sets are of whole granules: then a set of a page of 4 KiB is
// one cache line. The algebra is plain loops over words, which the compiler turns into vector
// instructions.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_LINE_SET_H
#define PHOTOFINISH_SHADOW_LINE_SET_H

#include <bit>
#include <cstdint>

namespace photofinish {

constexpr uint64_t LineBytes = 64;

/// The bytes of a line.
using ByteMask = uint64_t;

/// Bytes First..First+Count-1 of a line.
constexpr ByteMask bytesOf(unsigned First, unsigned Count) {
  return ~uint64_t(0) >> (LineBytes - Count) << First;
}

/// The words of a set: what they say about bytes.
template <class Word> struct Grain;
template <> struct Grain<uint64_t> {
  static constexpr bool canHold(ByteMask) { return true; }
  static constexpr uint64_t wordOf(ByteMask Bytes) { return Bytes; }
  static constexpr ByteMask bytesOf(uint64_t Word) { return Word; }
};
template <> struct Grain<uint8_t> {
  static constexpr uint64_t FirstBytes = UINT64_C(0x0101010101010101);
  static constexpr bool canHold(ByteMask Bytes) { return (Bytes & FirstBytes) * 255 == Bytes; }
  /// Only the first byte of each granule is looked at: the others are as it is.
  static constexpr uint8_t wordOf(ByteMask Bytes) {
    return uint8_t((Bytes & FirstBytes) * UINT64_C(0x0102040810204080) >> 56);
  }
  static constexpr ByteMask bytesOf(uint8_t Word) {
    // Bit I goes to byte I, at place I; then to its place 7, and from there to all of the byte.
    uint64_t Spread = Word * FirstBytes & UINT64_C(0x8040201008040201);
    uint64_t Top = (Spread + UINT64_C(0x7f7f7f7f7f7f7f7f) | Spread) & UINT64_C(0x8080808080808080);
    return (Top >> 7) * 255;
  }
};
static_assert(Grain<uint8_t>::wordOf(UINT64_C(0xff000000000000ff)) == 0x81);
static_assert(Grain<uint8_t>::bytesOf(0x81) == UINT64_C(0xff000000000000ff));
static_assert(Grain<uint8_t>::bytesOf(0x42) == UINT64_C(0x00ff00000000ff00));
static_assert(!Grain<uint8_t>::canHold(0x0f) && Grain<uint8_t>::canHold(0xff00));

template <class Word, unsigned Lines> struct LineSet {
  Word Of[Lines] = {};

  bool isEmpty() const {
    Word Any = 0;
    for (Word W : Of)
      Any |= W;
    return !Any;
  }
  void operator|=(const LineSet &Other) {
    for (unsigned L = 0; L < Lines; ++L)
      Of[L] |= Other.Of[L];
  }
  void operator-=(const LineSet &Other) {
    for (unsigned L = 0; L < Lines; ++L)
      Of[L] &= Word(~Other.Of[L]);
  }
  bool meets(const LineSet &Other) const {
    Word Any = 0;
    for (unsigned L = 0; L < Lines; ++L)
      Any |= Of[L] & Other.Of[L];
    return Any;
  }
  ByteMask bytes(unsigned Line) const { return Grain<Word>::bytesOf(Of[Line]); }

  /// Calls Visit(line, bytes) for every line with bytes in the set.
  template <class Fn> void forEachLine(Fn &&Visit) const {
    for (unsigned L = 0; L < Lines; ++L)
      if (Of[L])
        Visit(L, bytes(L));
  }
};

/// Calls Visit(first, count) for every run of bytes in a mask.
template <class Fn> void forEachRun(ByteMask Bytes, Fn &&Visit) {
  while (Bytes) {
    auto First = unsigned(std::countr_zero(Bytes));
    auto Count = unsigned(std::countr_one(Bytes >> First));
    Visit(First, Count);
    Bytes &= ~bytesOf(First, Count);
  }
}

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_LINE_SET_H
