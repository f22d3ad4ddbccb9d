//===- recent_granules_test.cpp - What is known was accessed --------------------===//
//
// Beside the table, every byte that was accessed since the epoch began: what the table knows is
// among them. It may forget, as others take the place.
//
//===----------------------------------------------------------------------===//

#include "shadow/recent_granules.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace photofinish;

namespace {

TEST(RecentGranules, KnowWhatWasAccessed) {
  std::mt19937 Random(1);
  auto below = [&](uint64_t N) { return uint64_t(Random() % N); };
  RecentGranules Known;
  std::set<uint64_t> Read, Written;
  uint64_t NumKnown = 0, NumEpochs = 0;
  for (int Step = 0; Step < 400000; ++Step) {
    // Granules that share an entry, too, and high addresses.
    uint64_t Granule = below(40) + below(3) * 512 + (below(2) ? UINT64_C(0x7fff00000000) / 8 : 0);
    uint64_t Size = uint64_t(1) << below(4), Offset = below(8 / Size) * Size;
    uint64_t Address = Granule * 8 + Offset;
    auto Mask = uint8_t(((1u << Size) - 1) << Offset);
    bool IsWrite = below(2);
    if (Known.has(Address, Mask, IsWrite)) {
      ++NumKnown;
      for (uint64_t At = Address; At < Address + Size; ++At)
        EXPECT_TRUE(Written.contains(At) || (!IsWrite && Read.contains(At)));
    }
    Known.add(Address, Mask, IsWrite);
    EXPECT_TRUE(Known.has(Address, Mask, IsWrite));
    for (uint64_t At = Address; At < Address + Size; ++At)
      (IsWrite ? Written : Read).insert(At);
    if (below(20) == 0) {
      uint64_t Bytes = below(10) ? below(64) + 1 : 5000;
      Known.forget(Address, Bytes);
      for (auto *Some : {&Read, &Written})
        Some->erase(Some->lower_bound(Address), Some->lower_bound(Address + Bytes));
    }
    if (below(10) == 0) {
      Known.beginEpoch();
      ++NumEpochs;
      Read.clear();
      Written.clear();
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "step " << Step;
  }
  EXPECT_GT(NumKnown, 2000u);
  EXPECT_GT(NumEpochs, 2u << 14); // rounds begin anew
}

} // namespace
