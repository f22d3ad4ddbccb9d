//===- trace_bench.h - The offline detectors on a long trace --------------------===//

#ifndef PHOTOFINISH_BENCH_TRACE_BENCH_H
#define PHOTOFINISH_BENCH_TRACE_BENCH_H

#include <cstdint>
#include <string>

namespace photofinish {

struct TraceBenchOptions {
  uint64_t Events = 50'000'000;
  std::string Directory; ///< where the trace is kept between runs
};

/// Prints events per second and peak memory of every detector, and how the memory of each
/// grows with the trace; then the shadow fractions by access pattern. False, and a line on
/// standard error, if something could not be run.
bool runTraceBench(const TraceBenchOptions &Options);

} // namespace photofinish

#endif // PHOTOFINISH_BENCH_TRACE_BENCH_H
