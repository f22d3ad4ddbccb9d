//===- partition.h - SlimState's six partition modes and Table I -------------===//
//
// A partition says which elements of an array share a cell (slimstate.txt, section
// V-A). Of all partitions, six families have a representation of two words and an
// index computation of one instruction or two:
//
//   COARSE      aaaaaaaa      BLOCK(4)   aaaabbbb      SPLIT(5)   aaaaabbb
//   FINE        abcdefgh      STRIDE(4)  abcdabcd      PREFIX(3)  abcddddd
//
// Before a footprint f is committed, the partition P is refined until f is exactly a
// union of parts. Table I gives the refined partition: the rows are tried in order,
// and each is a function here, named after it and counted.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_PARTITION_H
#define PHOTOFINISH_SHADOW_PARTITION_H

#include "shadow/strided_range.h"

#include <numeric>

namespace photofinish {

enum class PartitionMode : uint8_t { Coarse, Fine, Block, Stride, Split, Prefix };

struct Partition {
  PartitionMode Mode = PartitionMode::Coarse;
  uint64_t Elements = 0; ///< n
  uint64_t Param = 0;    ///< d of BLOCK, s of STRIDE, i of SPLIT and PREFIX; 0 otherwise

  static Partition coarse(uint64_t N) { return {PartitionMode::Coarse, N, 0}; }
  static Partition fine(uint64_t N) { return {PartitionMode::Fine, N, 0}; }
  static Partition block(uint64_t N, uint64_t D) { return {PartitionMode::Block, N, D}; }
  static Partition stride(uint64_t N, uint64_t S) { return {PartitionMode::Stride, N, S}; }
  static Partition split(uint64_t N, uint64_t I) { return {PartitionMode::Split, N, I}; }
  static Partition prefix(uint64_t N, uint64_t I) { return {PartitionMode::Prefix, N, I}; }

  bool operator==(const Partition &) const = default;

  /// |dom(T)|: how many cells the compressed shadow has.
  uint64_t cells() const {
    switch (Mode) {
    case PartitionMode::Coarse:
      return 1;
    case PartitionMode::Fine:
      return Elements;
    case PartitionMode::Block:
      return Elements / Param;
    case PartitionMode::Stride:
      return Param;
    case PartitionMode::Split:
      return 2;
    case PartitionMode::Prefix:
      return Param + 1;
    }
    __builtin_unreachable();
  }

  /// The cell of element I.
  uint64_t cellOf(uint64_t I) const {
    switch (Mode) {
    case PartitionMode::Coarse:
      return 0;
    case PartitionMode::Fine:
      return I;
    case PartitionMode::Block:
      return I / Param;
    case PartitionMode::Stride:
      return I % Param;
    case PartitionMode::Split:
      return I >= Param;
    case PartitionMode::Prefix:
      return I < Param ? I : Param;
    }
    __builtin_unreachable();
  }

  /// The elements of cell C, which every mode's parts can be written as.
  StridedRange part(uint64_t C) const {
    switch (Mode) {
    case PartitionMode::Coarse:
      return StridedRange::run(0, Elements - 1);
    case PartitionMode::Fine:
      return StridedRange::single(C);
    case PartitionMode::Block:
      return StridedRange::run(C * Param, C * Param + Param - 1);
    case PartitionMode::Stride:
      return {C, Elements - Param + C, Elements == Param ? 1 : Param};
    case PartitionMode::Split:
      return C ? StridedRange::run(Param, Elements - 1) : StridedRange::run(0, Param - 1);
    case PartitionMode::Prefix:
      return C == Param ? StridedRange::run(Param, Elements - 1) : StridedRange::single(C);
    }
    __builtin_unreachable();
  }

  /// Calls Visit(cell) once for every part that meets the non-empty F.
  template <class Fn> void forEachCell(const StridedRange &F, Fn &&Visit) const {
    switch (Mode) {
    case PartitionMode::Coarse:
      Visit(0);
      return;
    case PartitionMode::Fine:
      for (uint64_t I = F.Begin; I <= F.End; I += F.Step)
        Visit(I);
      return;
    case PartitionMode::Block:
      for (uint64_t I = F.Begin; I <= F.End;) {
        Visit(I / Param);
        uint64_t Next = (I / Param + 1) * Param;
        I = Next + (F.Step - (Next - F.Begin) % F.Step) % F.Step;
      }
      return;
    case PartitionMode::Stride: {
      // The residues repeat after lcm(step, s).
      uint64_t Period = std::lcm(F.Step, Param);
      for (uint64_t I = F.Begin; I <= F.End && I < F.Begin + Period; I += F.Step)
        Visit(I % Param);
      return;
    }
    case PartitionMode::Split:
    case PartitionMode::Prefix: {
      uint64_t Last = ~uint64_t(0);
      for (uint64_t I = F.Begin; I <= F.End; I += F.Step) {
        if (uint64_t C = cellOf(I); C != Last)
          Visit(Last = C);
        if (I >= Param)
          break; // the rest is all in the last part
        if (Mode == PartitionMode::Split)
          I += (Param - 1 - I) / F.Step * F.Step; // on to the end of the first part
      }
      return;
    }
    }
  }
};

/// Table I, one function per row, in the table's order. f is not empty.
namespace refine {

using Range = StridedRange;

/// COARSE, f = ⟨0:n-1:1⟩: COARSE
inline bool coarseWhole(Partition &P, const Range &F) {
  return P.Mode == PartitionMode::Coarse && F == Range::run(0, P.Elements - 1);
}
/// COARSE, f = ⟨0:e:1⟩: SPLIT(e+1)
inline bool coarseHead(Partition &P, const Range &F) {
  if (P.Mode != PartitionMode::Coarse || F.Begin != 0 || F.Step != 1)
    return false;
  P = Partition::split(P.Elements, F.End + 1);
  return true;
}
/// COARSE, f = ⟨b:n-1:1⟩: SPLIT(b)
inline bool coarseTail(Partition &P, const Range &F) {
  if (P.Mode != PartitionMode::Coarse || F.End != P.Elements - 1 || F.Step != 1)
    return false;
  P = Partition::split(P.Elements, F.Begin);
  return true;
}
/// COARSE, d' = gcd(n, b, e+1), 1 < d', k = 1: BLOCK(d')
inline bool coarseToBlock(Partition &P, const Range &F) {
  uint64_t D = std::gcd(P.Elements, std::gcd(F.Begin, F.End + 1));
  if (P.Mode != PartitionMode::Coarse || D <= 1 || F.Step != 1)
    return false;
  P = Partition::block(P.Elements, D);
  return true;
}
/// COARSE, b < k, n-1 < e+k, 1 < k, k | n: STRIDE(k)
inline bool coarseToStride(Partition &P, const Range &F) {
  if (P.Mode != PartitionMode::Coarse || F.Begin >= F.Step || P.Elements - 1 >= F.End + F.Step ||
      F.Step <= 1 || P.Elements % F.Step != 0)
    return false;
  P = Partition::stride(P.Elements, F.Step);
  return true;
}
/// COARSE, e < n/4: PREFIX(e+1)
inline bool coarseToPrefix(Partition &P, const Range &F) {
  if (P.Mode != PartitionMode::Coarse || 4 * F.End >= P.Elements)
    return false;
  P = Partition::prefix(P.Elements, F.End + 1);
  return true;
}
/// BLOCK(d), d' = gcd(d, b, e+1), 1 < d', k = 1: BLOCK(d')
inline bool blockToBlock(Partition &P, const Range &F) {
  uint64_t D = std::gcd(P.Param, std::gcd(F.Begin, F.End + 1));
  if (P.Mode != PartitionMode::Block || D <= 1 || F.Step != 1)
    return false;
  P = Partition::block(P.Elements, D);
  return true;
}
/// SPLIT(i), f = ⟨0:i-1:1⟩: SPLIT(i)
inline bool splitHead(Partition &P, const Range &F) {
  return P.Mode == PartitionMode::Split && F == Range::run(0, P.Param - 1);
}
/// SPLIT(i), f = ⟨i:n-1:1⟩: SPLIT(i)
inline bool splitTail(Partition &P, const Range &F) {
  return P.Mode == PartitionMode::Split && F == Range::run(P.Param, P.Elements - 1);
}
/// SPLIT(i), f = ⟨0:n-1:1⟩: SPLIT(i)
inline bool splitWhole(Partition &P, const Range &F) {
  return P.Mode == PartitionMode::Split && F == Range::run(0, P.Elements - 1);
}
/// SPLIT(i), d' = gcd(n, i, b, e+1), 1 < d', k = 1: BLOCK(d')
inline bool splitToBlock(Partition &P, const Range &F) {
  uint64_t D = std::gcd(std::gcd(P.Elements, P.Param), std::gcd(F.Begin, F.End + 1));
  if (P.Mode != PartitionMode::Split || D <= 1 || F.Step != 1)
    return false;
  P = Partition::block(P.Elements, D);
  return true;
}
/// SPLIT(i), d = max(i, e), d < n/4: PREFIX(d+1)
inline bool splitToPrefix(Partition &P, const Range &F) {
  uint64_t D = P.Param > F.End ? P.Param : F.End;
  if (P.Mode != PartitionMode::Split || 4 * D >= P.Elements)
    return false;
  P = Partition::prefix(P.Elements, D + 1);
  return true;
}
/// STRIDE(s), s' = lcm(k, s), s' | n, 1 < s', b < k, n-1 < e+k: STRIDE(s')
inline bool strideToStride(Partition &P, const Range &F) {
  if (P.Mode != PartitionMode::Stride || F.Begin >= F.Step || P.Elements - 1 >= F.End + F.Step)
    return false;
  uint64_t S = std::lcm(F.Step, P.Param);
  if (P.Elements % S != 0 || S <= 1)
    return false;
  P = Partition::stride(P.Elements, S);
  return true;
}
/// PREFIX(i), f = ⟨i:n-1:1⟩: PREFIX(i)
inline bool prefixTail(Partition &P, const Range &F) {
  return P.Mode == PartitionMode::Prefix && F == Range::run(P.Param, P.Elements - 1);
}
/// PREFIX(i), e < i: PREFIX(i)
inline bool prefixInside(Partition &P, const Range &F) {
  return P.Mode == PartitionMode::Prefix && F.End < P.Param;
}
/// PREFIX(i), 2e < n-1: PREFIX(2e)
inline bool prefixGrow(Partition &P, const Range &F) {
  if (P.Mode != PartitionMode::Prefix || 2 * F.End >= P.Elements - 1)
    return false;
  P = Partition::prefix(P.Elements, 2 * F.End);
  return true;
}
/// Any, any: FINE
inline bool anyToFine(Partition &P, const Range &) {
  P = Partition::fine(P.Elements);
  return true;
}

struct Row {
  const char *Name;
  bool (*Apply)(Partition &P, const StridedRange &F); ///< refines P if the row applies
};
inline constexpr Row TableI[] = {
    {"Coarse Whole", coarseWhole},
    {"Coarse Head", coarseHead},
    {"Coarse Tail", coarseTail},
    {"Coarse To Block", coarseToBlock},
    {"Coarse To Stride", coarseToStride},
    {"Coarse To Prefix", coarseToPrefix},
    {"Block To Block", blockToBlock},
    {"Split Head", splitHead},
    {"Split Tail", splitTail},
    {"Split Whole", splitWhole},
    {"Split To Block", splitToBlock},
    {"Split To Prefix", splitToPrefix},
    {"Stride To Stride", strideToStride},
    {"Prefix Tail", prefixTail},
    {"Prefix Inside", prefixInside},
    {"Prefix Grow", prefixGrow},
    {"Any To Fine", anyToFine},
};
inline constexpr unsigned NumRows = sizeof(TableI) / sizeof(TableI[0]);

/// refine(P, f): returns the row that applied.
inline unsigned apply(Partition &P, const StridedRange &F) {
  assert(!F.isEmpty() && F.End < P.Elements);
  unsigned R = 0;
  while (!TableI[R].Apply(P, F))
    ++R;
  return R;
}

} // namespace refine
} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_PARTITION_H
