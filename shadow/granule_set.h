//===- granule_set.h - Some of a page's granules --------------------------------===//
//
// A page of 4 KiB has 512 granules: a set of them is 64 bytes, and what SlimState does with sets
// (intersect, subtract, join) is a handful of vector instructions. The code is plain loops over
// words: they become whatever vectors the function has that they are inlined into.
//
// What one place accesses (shadow/elements.h) is, in a page, a few of these sets: one for each way
// in which the bytes of a granule are accessed.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_GRANULE_SET_H
#define PHOTOFINISH_SHADOW_GRANULE_SET_H

#include "shadow/elements.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace photofinish {

/// May functions for which code with AVX2 was made use it here?
inline bool hasAvx2() {
#if defined(__x86_64__)
  unsigned A, B, C, D;
  // The system saves the wide registers, and the processor has the instructions.
  if (!__get_cpuid(1, &A, &B, &C, &D) || !(C & bit_OSXSAVE))
    return false;
  uint32_t Saved, High;
  asm("xgetbv" : "=a"(Saved), "=d"(High) : "c"(0));
  return (Saved & 6) == 6 && __get_cpuid_count(7, 0, &A, &B, &C, &D) && B & bit_AVX2;
#else
  return false;
#endif
}

template <unsigned NumGranules> class GranuleSet {
public:
  static constexpr unsigned Words = (NumGranules + 63) / 64;

  static PF_INLINE GranuleSet only(unsigned Number) {
    GranuleSet S;
    S.add(Number);
    return S;
  }
  PF_INLINE void add(unsigned Number) { W[Number / 64] |= uint64_t(1) << Number % 64; }
  void addRange(unsigned First, unsigned Count) {
    for (unsigned End = First + Count; First < End;) {
      unsigned InWord = First % 64, Here = End - First < 64 - InWord ? End - First : 64 - InWord;
      W[First / 64] |= ~uint64_t(0) >> (64 - Here) << InWord;
      First += Here;
    }
  }
  /// Count of them, Distance apart.
  void addStrided(unsigned First, unsigned Distance, unsigned Count) {
    if (64 % Distance || Count < 4) {
      for (; Count--; First += Distance)
        add(First);
      return;
    }
    // Every word looks the same, but for the ends.
    uint64_t Pattern = 0;
    for (unsigned I = First % Distance; I < 64; I += Distance)
      Pattern |= uint64_t(1) << I;
    GranuleSet Range;
    Range.addRange(First, Distance * (Count - 1) + 1);
    for (unsigned I = 0; I < Words; ++I)
      W[I] |= Range.W[I] & Pattern;
  }

  PF_INLINE bool isEmpty() const {
    uint64_t Any = 0;
    for (unsigned I = 0; I < Words; ++I)
      Any |= W[I];
    return !Any;
  }
  PF_INLINE bool operator==(const GranuleSet &Other) const {
    uint64_t Differ = 0;
    for (unsigned I = 0; I < Words; ++I)
      Differ |= W[I] ^ Other.W[I];
    return !Differ;
  }
  PF_INLINE GranuleSet operator&(const GranuleSet &Other) const {
    GranuleSet S;
    for (unsigned I = 0; I < Words; ++I)
      S.W[I] = W[I] & Other.W[I];
    return S;
  }
  PF_INLINE void operator|=(const GranuleSet &Other) {
    for (unsigned I = 0; I < Words; ++I)
      W[I] |= Other.W[I];
  }
  PF_INLINE void operator-=(const GranuleSet &Other) {
    for (unsigned I = 0; I < Words; ++I)
      W[I] &= ~Other.W[I];
  }
  /// Every one of them, one further.
  GranuleSet next() const {
    GranuleSet S;
    for (unsigned I = 0; I < Words; ++I)
      S.W[I] = W[I] << 1 | (I ? W[I - 1] >> 63 : 0);
    return S;
  }

  uint64_t &word(unsigned I) { return W[I]; }
  uint64_t word(unsigned I) const { return W[I]; }
  bool contains(unsigned Number) const { return W[Number / 64] >> Number % 64 & 1; }
  unsigned size() const {
    unsigned Size = 0;
    for (uint64_t Word : W)
      Size += unsigned(std::popcount(Word));
    return Size;
  }
  /// Calls Visit(number), in order.
  template <class Fn> void forEach(Fn &&Visit) const {
    for (unsigned I = 0; I < Words; ++I)
      for (uint64_t Left = W[I]; Left; Left &= Left - 1)
        Visit(I * 64 + unsigned(std::countr_zero(Left)));
  }
  /// Calls Visit(first, count) for those that lie beside each other, in order; in pieces, maybe.
  template <class Fn> void forEachRun(Fn &&Visit) const {
    for (unsigned I = 0; I < Words; ++I)
      for (uint64_t Left = W[I]; Left;) {
        auto First = unsigned(std::countr_zero(Left));
        auto Count = unsigned(std::countr_one(Left >> First));
        Visit(I * 64 + First, Count);
        Left &= ~(~uint64_t(0) >> (64 - Count) << First);
      }
  }

private:
  uint64_t W[Words] = {};
};

/// Calls Visit(bytes of a granule, set of granules) for sets that together are the elements of a
/// page. A granule may be in several, with other bytes in each.
template <unsigned NumGranules, class Fn>
PF_INLINE void forEachGroup(const Elements &E, Fn &&Visit) {
  using Set = GranuleSet<NumGranules>;
  constexpr unsigned Bytes = GranuleBytes;
  auto MaskOf = [](uint64_t From, uint64_t Count) { return uint8_t(((1u << Count) - 1) << From); };
  auto InGranule = unsigned(E.First % Bytes), First = unsigned(E.First / Bytes);

  if (E.isRange() || E.Count == 1) {
    auto End = unsigned(E.First + E.span()), Last = (End - 1) / Bytes;
    if (First == Last)
      return Visit(MaskOf(InGranule, E.span()), Set::only(First));
    if (InGranule)
      Visit(MaskOf(InGranule, Bytes - InGranule), Set::only(First++));
    if (End % Bytes)
      Visit(MaskOf(0, End % Bytes), Set::only(Last--));
    Set Whole;
    Whole.addRange(First, Last + 1 - First);
    return First > Last ? void() : Visit(uint8_t(0xff), Whole);
  }

  // Elements that lie alike in their granules, and in two at most.
  if (E.Stride % Bytes == 0 && InGranule + E.Size <= 2 * Bytes) {
    Set All;
    All.addStrided(First, E.Stride / Bytes, E.Count);
    if (InGranule + E.Size <= Bytes)
      return Visit(MaskOf(InGranule, E.Size), All);
    Visit(MaskOf(InGranule, Bytes - InGranule), All);
    return Visit(MaskOf(0, InGranule + E.Size - Bytes), All.next());
  }

  // Whatever there is.
  struct Group {
    uint8_t Mask;
    Set All;
  };
  constexpr unsigned MaxGroups = 3 * Bytes; // beginning, middle and end, each anywhere
  Group Groups[MaxGroups];
  unsigned NumGroups = 0;
  auto GroupFor = [&](uint8_t Mask) -> Set & {
    for (unsigned I = 0; I < NumGroups; ++I)
      if (Groups[I].Mask == Mask)
        return Groups[I].All;
    Groups[NumGroups] = {Mask, {}};
    return Groups[NumGroups++].All;
  };
  for (uint32_t I = 0; I < E.Count; ++I) {
    uint64_t From = E.First + uint64_t(E.Stride) * I, End = From + E.Size;
    for (uint64_t At = From; At < End;) {
      uint64_t Here = At % Bytes ? Bytes - At % Bytes : (End - At) / Bytes * Bytes;
      if (!Here || At + Here > End)
        Here = End - At;
      if (At % Bytes || Here < Bytes)
        GroupFor(MaskOf(At % Bytes, Here)).add(unsigned(At / Bytes));
      else
        GroupFor(0xff).addRange(unsigned(At / Bytes), unsigned(Here / Bytes));
      At += Here;
    }
  }
  for (unsigned I = 0; I < NumGroups; ++I)
    Visit(Groups[I].Mask, Groups[I].All);
}

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_GRANULE_SET_H
