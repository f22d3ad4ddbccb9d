//===- oracle_testing.h - What the tests of the oracle share ---------------===//
//
// The hand-made traces are the sharpest there are, so whatever is expected of the oracle on
// them is expected of every detector, too.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_ORACLE_TESTING_H
#define PHOTOFINISH_TEST_UNIT_ORACLE_TESTING_H

#include "test/differential/judge.h"
#include "test/unit/trace_builder.h"
#include "trace/oracle.h"

#include "gtest/gtest.h"

namespace photofinish {

using Pairs = std::vector<std::pair<size_t, size_t>>;
using Bytes = std::set<uint64_t>;

inline constexpr auto Rlx = MemoryOrder::Relaxed;
inline constexpr auto Con = MemoryOrder::Consume;
inline constexpr auto Acq = MemoryOrder::Acquire;
inline constexpr auto Rel = MemoryOrder::Release;
inline constexpr auto AR = MemoryOrder::AcqRel;
inline constexpr auto SC = MemoryOrder::SeqCst;

// Addresses far apart, and small numbers for the rest.
inline constexpr uint64_t X = 0x100, Y = 0x200, F = 0x300, G = 0x400;
inline constexpr uint32_t M = 1, N = 2, C = 3, D = 4, B = 5, B2 = 6, O = 7, O2 = 8;

inline testing::AssertionResult detectorsAgree(const Trace &Ops) {
  std::string Complaint = judge(Ops).Complaint;
  if (Complaint.empty())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << Complaint;
}

/// Whether the trace has exactly the one race of its first and its last operation: the
/// two accesses of X that all these cases are about.
inline testing::AssertionResult firstAndLastRace(const Trace &Ops) {
  OracleResult R = runOracle(Ops);
  if (R.Races == Pairs{{0, Ops.size() - 1}})
    return detectorsAgree(Ops);
  return testing::AssertionFailure() << "races: " << testing::PrintToString(R.Races);
}

inline testing::AssertionResult raceFree(const Trace &Ops) {
  OracleResult R = runOracle(Ops);
  if (R.Races.empty() && R.RacyBytes.empty() && !R.hasRace())
    return detectorsAgree(Ops);
  return testing::AssertionFailure() << "races: " << testing::PrintToString(R.Races);
}

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_ORACLE_TESTING_H
