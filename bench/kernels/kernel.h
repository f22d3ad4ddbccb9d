//===- kernel.h - What every program of the scoreboard begins and ends with -----===//
//
//   sor [--threads N] [--scale S] [--race]
//
// A kernel does a fixed amount of work, checks its result and prints it. --scale multiplies
// the work; --race plants one data race that does not change the result. The two lines that
// then race are marked as in test/e2e/live, `// RACE 1`: the board looks for the report there.
// Exit code 1 is a wrong result, 2 a wrong command line.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_BENCH_KERNELS_KERNEL_H
#define PHOTOFINISH_BENCH_KERNELS_KERNEL_H

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kernel {

/// The command line.
struct Settings {
  std::string Name;
  unsigned Threads = 2;
  double Scale = 1;
  bool Race = false;

  Settings(int Argc, char **Argv) {
    Name = std::string_view(Argv[0]).substr(std::string_view(Argv[0]).rfind('/') + 1);
    for (int I = 1; I < Argc; ++I) {
      std::string_view Option = Argv[I];
      if (Option == "--race")
        Race = true;
      else if (Option == "--threads" && I + 1 < Argc)
        Threads = number<unsigned>(Argv[++I]);
      else if (Option == "--scale" && I + 1 < Argc)
        Scale = number<double>(Argv[++I]);
      else
        refuse(Option);
    }
  }

  /// An amount of work that --scale multiplies; at least Least.
  size_t scaled(size_t Amount, size_t Least = 1) const {
    return std::max(Least, static_cast<size_t>(static_cast<double>(Amount) * Scale));
  }

private:
  template <class T> T number(std::string_view Text) const {
    T Value{};
    auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Value);
    if (Error != std::errc() || End != Text.data() + Text.size() || !(Value > 0) || Value > 4096)
      refuse(Text);
    return Value;
  }

  [[noreturn]] void refuse(std::string_view Text) const {
    std::fprintf(stderr, "%s: bad argument '%.*s'; usage: %s [--threads N] [--scale S] [--race]\n",
                 Name.c_str(), static_cast<int>(Text.size()), Text.data(), Name.c_str());
    std::exit(2);
  }
};

/// Calls Work(0) to Work(Threads - 1), each in a thread of its own, and waits for all.
template <std::invocable<unsigned> Fn> void inParallel(unsigned Threads, Fn Work) {
  std::vector<std::jthread> Team;
  Team.reserve(Threads);
  for (unsigned Id = 0; Id < Threads; ++Id)
    Team.emplace_back([&Work, Id] { Work(Id); });
}

/// The part of [0, Total) that falls to one of the threads.
struct Share {
  size_t Begin, End;
  Share(size_t Total, unsigned Id, unsigned Threads)
      : Begin(Total * Id / Threads), End(Total * (Id + 1) / Threads) {}
};

/// A small generator, the same everywhere (splitmix64).
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}
  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
    return Z ^ Z >> 31;
  }
  /// From 0 to Bound - 1.
  uint64_t below(uint64_t Bound) { return next() % Bound; }
  /// From 0 up to, not including, 1.
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  uint64_t State;
};

/// Sums up a result, so that two runs can be compared (FNV-1a).
class Digest {
public:
  void add(std::string_view Bytes) {
    for (unsigned char Byte : Bytes)
      Sum = (Sum ^ Byte) * 0x100000001b3;
  }
  void add(uint64_t Value) {
    for (int I = 0; I < 8; ++I, Value >>= 8)
      Sum = (Sum ^ (Value & 0xff)) * 0x100000001b3;
  }
  void add(double Value) { add(std::bit_cast<uint64_t>(Value)); }
  uint64_t value() const { return Sum; }

private:
  uint64_t Sum = 0xcbf29ce484222325;
};

/// Prints the result; main's exit code.
inline int finish(const Settings &S, bool IsRight, uint64_t Result) {
  if (!IsRight) {
    std::fprintf(stderr, "%s: wrong result\n", S.Name.c_str());
    return 1;
  }
  std::printf("%s threads=%u scale=%g result=%016llx\n", S.Name.c_str(), S.Threads, S.Scale,
              static_cast<unsigned long long>(Result));
  return 0;
}

} // namespace kernel

#endif // PHOTOFINISH_BENCH_KERNELS_KERNEL_H
