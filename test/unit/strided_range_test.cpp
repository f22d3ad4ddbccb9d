//===- strided_range_test.cpp - The algebra of ⟨b:e:k⟩ against sets ------------===//

#include "shadow/strided_range.h"

#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace photofinish;

namespace {

using Range = StridedRange;

std::set<uint64_t> elements(const Range &R) {
  std::set<uint64_t> Set;
  for (uint64_t I = 0; I < 64; ++I)
    if (R.contains(I))
      Set.insert(I);
  return Set;
}

/// Every strided range within 0..N-1, in the form the paper requires.
std::vector<Range> allRanges(uint64_t N) {
  std::vector<Range> All = {Range::empty()};
  for (uint64_t B = 0; B < N; ++B) {
    All.push_back(Range::single(B));
    for (uint64_t K = 1; B + K < N; ++K)
      for (uint64_t E = B + K; E < N; E += K)
        All.push_back({B, E, K});
  }
  return All;
}

TEST(StridedRange, MeansWhatItSays) {
  EXPECT_EQ(elements(Range::empty()), std::set<uint64_t>());
  EXPECT_EQ(elements({0, 3, 1}), (std::set<uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(elements({1, 9, 2}), (std::set<uint64_t>{1, 3, 5, 7, 9}));
  for (const Range &R : allRanges(12))
    EXPECT_EQ(R.size(), elements(R).size());
}

/// extend succeeds whenever the union is a strided range that one of the six equations
/// gives, and what it gives is the union.
TEST(StridedRange, ExtendIsUnion) {
  for (const Range &R : allRanges(12))
    for (uint64_t I = 0; I < 14; ++I) {
      std::set<uint64_t> Union = elements(R);
      Union.insert(I);
      bool Expressible = R.isEmpty() || R.isSingle() || R.contains(I) || I == R.End + R.Step ||
                         I + R.Step == R.Begin;
      Range New = R;
      EXPECT_EQ(New.extend(I), Expressible);
      EXPECT_EQ(elements(New), Expressible ? Union : elements(R));
      EXPECT_TRUE(New.isEmpty() || (New.End - New.Begin) % New.Step == 0);
      EXPECT_TRUE(!New.isSingle() || New.Step == 1);
    }
}

TEST(StridedRange, ExtendByRunIsUnionOrNothing) {
  for (const Range &R : allRanges(10))
    for (uint64_t First = 0; First < 10; ++First)
      for (uint64_t Last = First + 1; Last < 12; ++Last) {
        std::set<uint64_t> Union = elements(R);
        for (uint64_t I = First; I <= Last; ++I)
          Union.insert(I);
        Range New = R;
        if (New.extend(First, Last))
          EXPECT_EQ(elements(New), Union);
        else
          EXPECT_EQ(New, R);
        if (R.isEmpty() || (R.Step == 1 && First <= R.End + 1 && R.Begin <= Last + 1)) {
          EXPECT_EQ(New.size(), Union.size()) << "neighbouring runs must join";
        }
      }
}

TEST(StridedRange, SweepsBecomeOneRange) {
  Range Up, Down, Odd;
  for (uint64_t I = 0; I < 100; ++I) {
    EXPECT_TRUE(Up.extend(I));
    EXPECT_TRUE(Down.extend(99 - I));
    EXPECT_TRUE(Odd.extend(2 * I + 1));
  }
  EXPECT_EQ(Up, (Range{0, 99, 1}));
  EXPECT_EQ(Down, (Range{0, 99, 1}));
  EXPECT_EQ(Odd, (Range{1, 199, 2}));
  EXPECT_FALSE(Odd.extend(10));
}

} // namespace
