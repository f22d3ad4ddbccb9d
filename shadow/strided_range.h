//===- strided_range.h - ⟨b:e:k⟩, the footprints of SlimState ----------------===//
//
// ⟨b:e:k⟩ = { b + i·k | b ≤ b + i·k ≤ e }, with k dividing e - b; EMPTY = ⟨1:0:1⟩
// (slimstate.txt, section V-A). A footprint grows with every access by the six
// equations that stand above extend; what they cannot express has to be committed
// first. C and C++ also access several elements at once (memset, a vector store on a
// char array): such a run of neighbours extends a footprint of step 1.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_STRIDED_RANGE_H
#define PHOTOFINISH_SHADOW_STRIDED_RANGE_H

#include <cassert>
#include <cstdint>

namespace photofinish {

struct StridedRange {
  uint64_t Begin = 1;
  uint64_t End = 0; ///< inclusive
  uint64_t Step = 1;

  static constexpr StridedRange empty() { return {}; }
  static constexpr StridedRange single(uint64_t I) { return {I, I, 1}; }
  static constexpr StridedRange run(uint64_t First, uint64_t Last) { return {First, Last, 1}; }

  constexpr bool operator==(const StridedRange &) const = default;

  bool isEmpty() const { return Begin > End; }
  bool isSingle() const { return Begin == End; }
  uint64_t size() const { return isEmpty() ? 0 : (End - Begin) / Step + 1; }
  bool contains(uint64_t I) const { return Begin <= I && I <= End && (I - Begin) % Step == 0; }

  /// Adds index I; false, and nothing changed, if the result is no strided range.
  ///   ⟨b:e:k⟩ ∪ {i}   = ⟨b:e:k⟩       if i ∈ ⟨b:e:k⟩
  ///   EMPTY   ∪ {i}   = ⟨i:i:1⟩
  ///   ⟨b:b:1⟩ ∪ {b+k} = ⟨b:b+k:k⟩
  ///   ⟨b:b:1⟩ ∪ {b-k} = ⟨b-k:b:k⟩
  ///   ⟨b:e:k⟩ ∪ {e+k} = ⟨b:e+k:k⟩
  ///   ⟨b:e:k⟩ ∪ {b-k} = ⟨b-k:e:k⟩
  bool extend(uint64_t I) {
    if (contains(I))
      return true;
    if (isEmpty()) {
      *this = single(I);
      return true;
    }
    if (isSingle()) {
      *this = I > Begin ? StridedRange{Begin, I, I - Begin} : StridedRange{I, Begin, Begin - I};
      return true;
    }
    if (I == End + Step) {
      End = I;
      return true;
    }
    if (I + Step == Begin) {
      Begin = I;
      return true;
    }
    return false;
  }

  /// Adds the indices First..Last; false, and nothing changed, if that is no strided range.
  bool extend(uint64_t First, uint64_t Last) {
    assert(First <= Last);
    if (First == Last)
      return extend(First);
    if (isEmpty()) {
      *this = run(First, Last);
      return true;
    }
    if (Step != 1 || First > End + 1 || Last + 1 < Begin)
      return false;
    Begin = First < Begin ? First : Begin;
    End = Last > End ? Last : End;
    return true;
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_STRIDED_RANGE_H
