//===- line.h - Bytes of a cache line, as bits --------------------------------===//
//
// A page is cut into lines of 64 bytes, so that a set of a line's bytes is a word. Byte I of that
// word has the bytes of the line's granule I.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_LINE_H
#define PHOTOFINISH_SHADOW_LINE_H

#include <bit>
#include <cstdint>

namespace photofinish {

#define PF_INLINE __attribute__((always_inline)) inline

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

#endif // PHOTOFINISH_SHADOW_LINE_H
