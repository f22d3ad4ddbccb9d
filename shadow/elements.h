//===- elements.h - Bytes that one place accesses ------------------------------===//
//
// Count elements of Size bytes, Stride apart: what a sweep over an array accesses, or over a field
// of its structures. The footprints of slimstate.txt, section V-A, ⟨b:e:k⟩, in bytes: they grow by
// the same equations.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_ELEMENTS_H
#define PHOTOFINISH_SHADOW_ELEMENTS_H

#include "shadow/line.h"

namespace photofinish {

struct Elements {
  uint64_t First; ///< the lowest address
  uint32_t Size;
  uint32_t Stride; ///< at least Size; Size for a range
  uint32_t Count;

  static constexpr uint64_t MaxStride = 1024;

  static Elements range(uint64_t Address, uint64_t Bytes) {
    return {Address, uint32_t(Bytes), uint32_t(Bytes), 1};
  }
  bool isRange() const { return Stride == Size; }
  /// Bytes from the first to the last.
  uint64_t span() const { return uint64_t(Stride) * (Count - 1) + Size; }
  /// Where the next one would be.
  uint64_t next() const { return First + uint64_t(Stride) * Count; }

  /// Adds bytes that are not among them; false, and nothing changed, if that is no such set.
  bool extend(uint64_t Address, uint32_t Bytes) {
    if (Bytes != Size)
      return extendRange(Address, Bytes);
    if (Address == next()) {
      ++Count;
      return true;
    }
    if (Address + Stride == First) {
      First = Address;
      ++Count;
      return true;
    }
    uint64_t Distance = Address > First ? Address - First : First - Address;
    if (Count > 1 || Distance > MaxStride || Distance < Size)
      return false;
    First = Address < First ? Address : First;
    Stride = uint32_t(Distance);
    Count = 2;
    return true;
  }

  /// Calls Visit(page number, Elements with First from the page's start) for what lies in each
  /// page.
  template <uint64_t PageBytes, class Fn> void forEachPage(Fn &&Visit) const {
    if (isRange())
      return forEachPageOf<PageBytes>(First, span(), Visit);
    for (uint32_t I = 0; I < Count;) {
      uint64_t At = First + uint64_t(Stride) * I, Offset = At % PageBytes;
      if (Offset + Size > PageBytes) {
        forEachPageOf<PageBytes>(At, Size, Visit);
        ++I;
        continue;
      }
      auto Here = uint32_t((PageBytes - Size - Offset) / Stride + 1);
      if (Here > Count - I)
        Here = Count - I;
      Visit(At / PageBytes, Elements{Offset, Size, Stride, Here});
      I += Here;
    }
  }

  /// The same for a range of any length.
  template <uint64_t PageBytes, class Fn>
  static void forEachPageOf(uint64_t Address, uint64_t Bytes, Fn &&Visit) {
    while (Bytes) {
      uint64_t Offset = Address % PageBytes;
      uint64_t Here = Bytes < PageBytes - Offset ? Bytes : PageBytes - Offset;
      Visit(Address / PageBytes, range(Offset, Here));
      Address += Here;
      Bytes -= Here;
    }
  }

private:
  /// Bytes of another size go to a range only.
  bool extendRange(uint64_t Address, uint32_t Bytes) {
    uint64_t Sum = span() + Bytes;
    bool IsAbove = Address == next(), IsBelow = Address + Bytes == First;
    if (!isRange() || !(IsAbove || IsBelow) || Sum > UINT32_MAX)
      return false;
    *this = range(IsBelow ? Address : First, Sum);
    return true;
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_ELEMENTS_H
