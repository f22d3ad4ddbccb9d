//===- byte_set.h - Sets of addresses -------------------------------------===//
//
// Which bytes have raced, as disjoint ranges that do not touch: equal sets have equal
// ranges, however they came about.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_BYTE_SET_H
#define PHOTOFINISH_DRIVER_BYTE_SET_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace photofinish {

class ByteSet {
public:
  void add(uint64_t Begin, uint64_t Size) {
    uint64_t End = Begin + Size;
    auto Next = Ranges.upper_bound(Begin);
    if (Next != Ranges.begin() && std::prev(Next)->second >= Begin)
      --Next;
    // Swallow every range that overlaps or touches.
    while (Next != Ranges.end() && Next->first <= End) {
      Begin = std::min(Begin, Next->first);
      End = std::max(End, Next->second);
      Next = Ranges.erase(Next);
    }
    Ranges.emplace(Begin, End);
  }

  uint64_t size() const {
    uint64_t Bytes = 0;
    for (auto [Begin, End] : Ranges)
      Bytes += End - Begin;
    return Bytes;
  }

  /// Calls Visit(first byte, how many) for the ranges, none of which touch, in order.
  template <class Fn> void forEach(Fn &&Visit) const {
    for (auto [Begin, End] : Ranges)
      Visit(Begin, End - Begin);
  }

  bool contains(uint64_t Byte) const {
    auto Next = Ranges.upper_bound(Byte);
    return Next != Ranges.begin() && Byte < std::prev(Next)->second;
  }

  /// The lowest byte that is in exactly one of the two sets.
  static std::optional<uint64_t> firstDifference(const ByteSet &A, const ByteSet &B) {
    auto I = A.Ranges.begin(), J = B.Ranges.begin();
    while (I != A.Ranges.end() && J != B.Ranges.end() && *I == *J)
      ++I, ++J;
    if (I == A.Ranges.end() && J == B.Ranges.end())
      return std::nullopt;
    if (I == A.Ranges.end())
      return J->first;
    if (J == B.Ranges.end())
      return I->first;
    return I->first != J->first ? std::min(I->first, J->first) : std::min(I->second, J->second);
  }

private:
  std::map<uint64_t, uint64_t> Ranges; // begin -> end
};

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_BYTE_SET_H
