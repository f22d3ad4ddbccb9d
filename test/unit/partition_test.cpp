//===- partition_test.cpp - Table I, row by row and exhaustively ---------------===//

#include "shadow/array_shadow.h"
#include "shadow/partition.h"

#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace photofinish;

namespace {

using Range = StridedRange;

struct RowCase {
  const char *Row;
  Partition P;
  Range F;
  Partition Refined;
};

/// One line of slimstate.txt, Table I, after the other, and the premises that keep a
/// footprint from a row.
TEST(TableI, EveryRow) {
  constexpr uint64_t N = 24;
  const auto Coarse = Partition::coarse(N), Fine = Partition::fine(N);
  const auto Block = [](uint64_t D) { return Partition::block(N, D); };
  const auto Stride = [](uint64_t S) { return Partition::stride(N, S); };
  const auto Split = [](uint64_t I) { return Partition::split(N, I); };
  const auto Prefix = [](uint64_t I) { return Partition::prefix(N, I); };
  const std::vector<RowCase> Cases = {
      {"Coarse Whole", Coarse, {0, 23, 1}, Coarse},
      {"Coarse Head", Coarse, {0, 6, 1}, Split(7)},
      {"Coarse Head", Coarse, {0, 0, 1}, Split(1)},
      {"Coarse Tail", Coarse, {5, 23, 1}, Split(5)},
      {"Coarse To Block", Coarse, {8, 15, 1}, Block(8)},
      {"Coarse To Block", Coarse, {6, 13, 1}, Block(2)},
      {"Coarse To Stride", Coarse, {1, 21, 4}, Stride(4)},
      {"Coarse To Stride", Coarse, {11, 23, 12}, Stride(12)},
      {"Coarse To Prefix", Coarse, {1, 5, 1}, Prefix(6)},
      {"Coarse To Prefix", Coarse, {0, 5, 5}, Prefix(6)},
      {"Any To Fine", Coarse, {1, 6, 1}, Fine},  // e is not below n/4
      {"Any To Fine", Coarse, {4, 20, 4}, Fine}, // b is not below k
      {"Any To Fine", Coarse, {1, 13, 4}, Fine}, // does not reach the end
      {"Any To Fine", Coarse, {0, 20, 5}, Fine}, // k does not divide n
      {"Block To Block", Block(8), {8, 23, 1}, Block(8)},
      {"Block To Block", Block(8), {4, 11, 1}, Block(4)},
      {"Any To Fine", Block(8), {3, 11, 1}, Fine},
      {"Any To Fine", Block(8), {0, 22, 2}, Fine},
      {"Split Head", Split(7), {0, 6, 1}, Split(7)},
      {"Split Tail", Split(7), {7, 23, 1}, Split(7)},
      {"Split Whole", Split(7), {0, 23, 1}, Split(7)},
      {"Split To Block", Split(6), {6, 11, 1}, Block(6)},
      {"Split To Prefix", Split(3), {1, 5, 2}, Prefix(6)},
      {"Split To Prefix", Split(5), {1, 2, 1}, Prefix(6)},
      {"Any To Fine", Split(7), {1, 2, 1}, Fine}, // 7 is not below n/4
      {"Any To Fine", Split(5), {1, 6, 1}, Fine}, // nor is 6
      {"Stride To Stride", Stride(4), {3, 23, 4}, Stride(4)},
      {"Stride To Stride", Stride(4), {5, 23, 6}, Stride(12)},
      {"Stride To Stride", Stride(4), {0, 23, 1}, Stride(4)},
      {"Any To Fine", Stride(4), {0, 19, 1}, Fine},
      {"Any To Fine", Stride(8), {5, 20, 5}, Fine},
      {"Prefix Tail", Prefix(6), {6, 23, 1}, Prefix(6)},
      {"Prefix Inside", Prefix(6), {1, 5, 2}, Prefix(6)},
      {"Prefix Grow", Prefix(6), {2, 8, 3}, Prefix(16)},
      {"Any To Fine", Prefix(6), {2, 12, 1}, Fine},
      {"Any To Fine", Fine, {0, 23, 1}, Fine},
  };
  std::set<std::string> Rows;
  for (const RowCase &C : Cases) {
    Partition P = C.P;
    unsigned Row = refine::apply(P, C.F);
    EXPECT_STREQ(refine::TableI[Row].Name, C.Row)
        << "f = <" << C.F.Begin << ":" << C.F.End << ":" << C.F.Step << ">";
    EXPECT_EQ(P, C.Refined) << C.Row << ": " << int(P.Mode) << "(" << P.Param << ")";
    Rows.insert(C.Row);
  }
  EXPECT_EQ(Rows.size(), refine::NumRows) << "a row has no case";
}

std::vector<Partition> allPartitions(uint64_t N) {
  std::vector<Partition> All = {Partition::coarse(N), Partition::fine(N)};
  for (uint64_t I = 1; I < N; ++I) {
    All.push_back(Partition::split(N, I));
    All.push_back(Partition::prefix(N, I));
    if (N % I == 0 && I > 1) {
      All.push_back(Partition::block(N, I));
      All.push_back(Partition::stride(N, I));
    }
  }
  return All;
}

template <class Fn> void forAllFootprints(uint64_t N, Fn &&Visit) {
  for (uint64_t B = 0; B < N; ++B) {
    Visit(Range::single(B));
    for (uint64_t K = 1; B + K < N; ++K)
      for (uint64_t E = B + K; E < N; E += K)
        Visit(Range{B, E, K});
  }
}

bool sufficientlyPrecise(const Partition &P, const Range &F) {
  for (uint64_t I = 0; I < P.Elements; ++I)
    for (uint64_t J = 0; J < I; ++J)
      if (P.cellOf(I) == P.cellOf(J) && F.contains(I) != F.contains(J))
        return false;
  return true;
}

TEST(Partition, PartsAreWhatCellOfSays) {
  for (uint64_t N : {2, 6, 12, 16, 17})
    for (const Partition &P : allPartitions(N)) {
      std::set<uint64_t> Cells;
      for (uint64_t I = 0; I < N; ++I) {
        ASSERT_LT(P.cellOf(I), P.cells());
        Cells.insert(P.cellOf(I));
        for (uint64_t C = 0; C < P.cells(); ++C)
          ASSERT_EQ(P.part(C).contains(I), P.cellOf(I) == C) << int(P.Mode) << " " << P.Param;
      }
      EXPECT_EQ(Cells.size(), P.cells());
    }
}

/// The refined partition refines P and is sufficiently precise for f, for every P and f;
/// and where P already was, it stays. The one exception is a footprint that ends in the
/// coarse tail of PREFIX, which the table sends to FINE (or a longer prefix).
TEST(TableI, RefinesSufficientlyForEveryFootprint) {
  for (uint64_t N : {12, 16, 17})
    for (const Partition &P : allPartitions(N))
      forAllFootprints(N, [&](const Range &F) {
        Partition New = P;
        refine::apply(New, F);
        ASSERT_TRUE(sufficientlyPrecise(New, F));
        for (uint64_t I = 0; I < N; ++I)
          for (uint64_t J = 0; J < I; ++J)
            if (New.cellOf(I) == New.cellOf(J)) {
              ASSERT_EQ(P.cellOf(I), P.cellOf(J)) << "not a refinement";
            }
        bool TableGivesUp = P.Mode == PartitionMode::Prefix && F.End >= P.Param;
        if (sufficientlyPrecise(P, F) && !TableGivesUp && P.Mode != PartitionMode::Stride) {
          ASSERT_EQ(New.cells(), P.cells()) << int(P.Mode) << "(" << P.Param << ") <" << F.Begin
                                            << ":" << F.End << ":" << F.Step << ">";
        }
      });
}

/// forEachCell visits the cells of a footprint's elements, each once.
TEST(Partition, ForEachCellVisitsEachCellOnce) {
  for (uint64_t N : {12, 16})
    for (const Partition &P : allPartitions(N))
      forAllFootprints(N, [&](const Range &F) {
        if (!sufficientlyPrecise(P, F))
          return;
        std::multiset<uint64_t> Visited;
        std::set<uint64_t> Expected;
        P.forEachCell(F, [&](uint64_t C) { Visited.insert(C); });
        for (uint64_t I = F.Begin; I <= F.End; I += F.Step)
          Expected.insert(P.cellOf(I));
        ASSERT_EQ(Visited, std::multiset<uint64_t>(Expected.begin(), Expected.end()))
            << int(P.Mode) << "(" << P.Param << ") <" << F.Begin << ":" << F.End << ":" << F.Step
            << ">";
      });
}

/// A finer grain changes the cells, not what an element's bytes remember.
TEST(ArrayShadow, FinerGrainKeepsEveryHistory) {
  constexpr uint64_t N = 32;
  for (const Range &F : {Range{0, 31, 1}, Range{0, 6, 1}, Range{8, 15, 1}, Range{1, 29, 4},
                         Range{1, 5, 2}, Range{3, 17, 7}}) {
    ArrayShadow A(0x1000, N * 8, 8);
    A.refineFor(F);
    Partition Before = A.partition();
    std::vector<uint64_t> Written(N);
    for (uint64_t I = 0; I < N; ++I) {
      Cell &X = A.cell(Before.cellOf(I));
      X.assertOwned();
      X.setWrite(Epoch(1, Written[I] = Before.cellOf(I) + 1), 0);
    }
    A.refineGrain(4);
    EXPECT_EQ(A.grain(), 2u);
    EXPECT_EQ(A.elements(), N * 4);
    for (uint64_t I = 0; I < N * 4; ++I)
      EXPECT_EQ(A.cell(A.partition().cellOf(I)).write(), Epoch(1, Written[I / 4]));
    if (Before.Mode != PartitionMode::Stride && Before.Mode != PartitionMode::Prefix) {
      EXPECT_EQ(A.cells(), Before.cells()) << "compression lost";
    }
  }
}

TEST(ArrayShadow, SmallArraysAreFineFromTheStart) {
  EXPECT_EQ(ArrayShadow(0, 60, 4).partition(), Partition::fine(15));
  EXPECT_EQ(ArrayShadow(0, 64, 4).partition(), Partition::coarse(16));
}

} // namespace
