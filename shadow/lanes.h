//===- lanes.h - Many granules at once ----------------------------------------===//
//
// A byte for each of 32 granules, which are four lines: the classes that they belong to, or which
// of their bytes were read. Vectors of the compiler's, so that there is one source for whatever
// instructions the processor has.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_LANES_H
#define PHOTOFINISH_SHADOW_LANES_H

#include <cstdint>
#include <cstring>

namespace photofinish {

class Lanes {
public:
  static constexpr unsigned Count = 32;

  static Lanes load(const void *From) {
    Lanes L;
    std::memcpy(&L.V, From, sizeof(V));
    return L;
  }
  static Lanes only(unsigned Lane) {
    Lanes L{Bytes()};
    L.V[Lane] = 0xff;
    return L;
  }
  void store(void *To) const { std::memcpy(To, &V, sizeof(V)); }

  uint8_t operator[](unsigned Lane) const { return V[Lane]; }

  /// All bits of a lane, or none.
  Lanes operator==(uint8_t Byte) const { return {Bytes(V == (Bytes() + Byte))}; }
  Lanes operator&(Lanes Other) const { return {V & Other.V}; }
  Lanes operator|(Lanes Other) const { return {V | Other.V}; }
  /// Byte in the lanes that are set in Which.
  Lanes with(uint8_t Byte, Lanes Which) const {
    return {(V & ~Which.V) | ((Bytes() + Byte) & Which.V)};
  }

  /// A bit for every lane, of those that are all set or not at all.
  uint32_t bits() const {
    uint32_t Bits = 0;
#if defined(__SSE2__)
    using Half = char __attribute__((vector_size(16)));
    Half Low, High;
    std::memcpy(&Low, &V, 16);
    std::memcpy(&High, reinterpret_cast<const char *>(&V) + 16, 16);
    Bits = uint32_t(__builtin_ia32_pmovmskb128(Low)) | uint32_t(__builtin_ia32_pmovmskb128(High))
                                                           << 16;
#else
    for (unsigned I = 0; I < Count; ++I)
      Bits |= uint32_t(V[I] >> 7) << I;
#endif
    return Bits;
  }

private:
  using Bytes = uint8_t __attribute__((vector_size(Count)));
  Lanes() = default;
  Lanes(const Bytes &V) : V(V) {}

  Bytes V;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_LANES_H
