// What the kernels share: the time that the work itself took, and whether its result is right.
#ifndef PHOTOFINISH_BENCH_LIVE_KERNEL_H
#define PHOTOFINISH_BENCH_LIVE_KERNEL_H

#include <chrono>
#include <cstdio>

class Stopwatch {
public:
  /// Prints the seconds since construction; the exit code of the kernel.
  int report(bool IsRight) const {
    std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Start;
    std::printf("%.6f %s\n", Time.count(), IsRight ? "right" : "WRONG");
    return IsRight ? 0 : 1;
  }

private:
  std::chrono::steady_clock::time_point Start = std::chrono::steady_clock::now();
};

#endif // PHOTOFINISH_BENCH_LIVE_KERNEL_H
