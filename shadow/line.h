//===- line.h - Bytes of a cache line, as bits --------------------------------===//
//
// A page is cut into lines of 64 bytes, so that a set of a line's bytes is a word. Byte I of that
// word has the bytes of the line's granule I: read as an array of bytes, the words of a page are
// the masks of its granules, which is how pages compare many granules at once (shadow/lanes.h).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_LINE_H
#define PHOTOFINISH_SHADOW_LINE_H

#include <bit>
#include <cstdint>

namespace photofinish {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t LineBytes = 64;
constexpr unsigned GranuleBytes = 8; // shadow/granule.h
constexpr unsigned LineGranules = LineBytes / GranuleBytes;

/// The bytes of a line.
using ByteMask = uint64_t;

/// Bytes First..First+Count-1 of a line.
constexpr ByteMask bytesOf(unsigned First, unsigned Count) {
  return ~uint64_t(0) >> (LineBytes - Count) << First;
}
/// The bytes of one of the line's granules.
constexpr uint8_t granuleOf(ByteMask Bytes, unsigned Granule) {
  return uint8_t(Bytes >> Granule * GranuleBytes);
}

/// Calls Visit(address of a line, bytes) for the lines of a range.
template <class Fn> void forEachLine(uint64_t Address, uint64_t Bytes, Fn &&Visit) {
  while (Bytes) {
    auto First = unsigned(Address % LineBytes);
    auto Here = unsigned(Bytes < LineBytes - First ? Bytes : LineBytes - First);
    Visit(Address - First, bytesOf(First, Here));
    Address += Here;
    Bytes -= Here;
  }
}

/// Calls Visit(first, count) for every run of bytes in a mask.
template <class Fn> void forEachRun(ByteMask Bytes, Fn &&Visit) {
  while (Bytes) {
    auto First = unsigned(std::countr_zero(Bytes));
    auto Count = unsigned(std::countr_one(Bytes >> First));
    Visit(First, Count);
    Bytes &= ~bytesOf(First, Count);
  }
}

/// Calls Visit(granule, its bytes) for every granule that has bytes in a mask.
template <class Fn> void forEachGranuleOf(ByteMask Bytes, Fn &&Visit) {
  while (Bytes) {
    auto Granule = unsigned(std::countr_zero(Bytes)) / GranuleBytes;
    Visit(Granule, granuleOf(Bytes, Granule));
    Bytes &= ~bytesOf(Granule * GranuleBytes, GranuleBytes);
  }
}

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_LINE_H
