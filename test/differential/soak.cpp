//===- soak.cpp - Random traces through every detector, by the million --------===//
//
// differential_soak [TRACES [FIRST-SEED]]: judges that many random traces on all cores,
// with progress on a terminal. Stops at the first disagreement, shrinks it, prints it
// with its seed and exits with 1.
//
//===----------------------------------------------------------------------===//

#include "test/differential/judge.h"
#include "trace/generator.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace photofinish;

int main(int Argc, char **Argv) {
  uint64_t Traces = Argc > 1 ? std::strtoull(Argv[1], nullptr, 10) : 20'000'000;
  uint64_t FirstSeed = Argc > 2 ? std::strtoull(Argv[2], nullptr, 10) : 1'000'000'000;
  std::atomic<uint64_t> Next{0}, Done{0}, Racy{0};
  std::atomic<bool> Failed{false};
  std::mutex Output;

  auto Work = [&] {
    for (uint64_t I; !Failed && (I = Next++) < Traces; ++Done) {
      Trace Ops = generate(randomSmallOptions(FirstSeed + I));
      Verdict V = judge(Ops);
      Racy += V.HasRace;
      if (V.Complaint.empty() || Failed.exchange(true))
        continue;
      std::lock_guard Lock(Output);
      std::printf("seed %s: %s\n", std::to_string(FirstSeed + I).c_str(),
                  explainFailure(Ops).c_str());
    }
  };

  auto Start = std::chrono::steady_clock::now();
  std::vector<std::thread> Workers;
  for (unsigned I = 0; I < std::max(1u, std::thread::hardware_concurrency()); ++I)
    Workers.emplace_back(Work);
  while (isatty(2) && !Failed && Done < Traces) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::fprintf(stderr, "\r%llu of %llu traces", (unsigned long long)Done.load(),
                 (unsigned long long)Traces);
  }
  for (std::thread &W : Workers)
    W.join();
  double Seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K");
  std::printf("%llu traces judged, %llu with races, %s; %.0f a second\n",
              (unsigned long long)Done.load(), (unsigned long long)Racy.load(),
              Failed ? "one disagreement" : "no disagreement", double(Done) / Seconds);
  return Failed;
}
