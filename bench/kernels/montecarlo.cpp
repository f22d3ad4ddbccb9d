//===- montecarlo.cpp - What a share may be worth in a few years -------------------===//
//
// Stands for montecarlo of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III):
// drift and volatility of a share are estimated from its past prices; then thousands of paths of a
// geometric Brownian motion with these figures are simulated, and the outcome is their average.
//
// A path is a task with its own seed. A thread runs a range of the tasks: it simulates the path
// day by day in an array that it allocates for the task, draws the task's result from it, and
// appends the result to the list of all, under a lock. The market's figures are read by all
// threads. The main thread looks at the results when the threads are joined.
//
// For a race detector: streams through arrays that live shortly and are never shared (allocation
// costs as much as access), objects that are made by one thread and read by another, a short
// critical section in each task.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <cmath>
#include <memory>
#include <mutex>

namespace {

constexpr size_t Paths = 70000;
constexpr size_t DaysPerYear = 250, Days = 4 * DaysPerYear, DaysPerSample = 10;

/// Figures for one day. Nobody writes them while the threads run.
struct Market {
  double Price, Drift, Volatility;
};

/// What one path has come to.
struct Result {
  size_t Task;
  double Mean, Volatility;
  /// Every tenth price; the last one is the end of the path.
  std::vector<double> Samples;
};

/// The results of all threads, in the order in which they came.
struct ResultList {
  std::mutex Lock;
  /// Both under Lock, until the threads are joined.
  std::vector<std::unique_ptr<Result>> Results;
  size_t Finished = 0;
};

/// Normally distributed numbers, two at a time, by Marsaglia's polar method.
class Gaussian {
public:
  explicit Gaussian(uint64_t Seed) : Uniform(Seed) {}
  double next() {
    if (HasSpare) {
      HasSpare = false;
      return Spare;
    }
    double X, Y, Square;
    do {
      X = 2 * Uniform.real() - 1;
      Y = 2 * Uniform.real() - 1;
      Square = X * X + Y * Y;
    } while (Square >= 1 || Square == 0);
    double Factor = std::sqrt(-2 * std::log(Square) / Square);
    Spare = Y * Factor;
    HasSpare = true;
    return X * Factor;
  }

private:
  kernel::Random Uniform;
  double Spare = 0;
  bool HasSpare = false;
};

/// The prices of Days days after today's.
std::vector<double> simulate(const Market &M, uint64_t Seed) {
  Gaussian Noise(Seed);
  std::vector<double> Prices(Days);
  double Price = M.Price;
  for (double &Today : Prices) {
    Price *= std::exp(M.Drift - M.Volatility * M.Volatility / 2 + M.Volatility * Noise.next());
    Today = Price;
  }
  return Prices;
}

/// Mean and standard deviation of the logarithmic returns of a path.
struct Returns {
  double Mean, Deviation;
  explicit Returns(const std::vector<double> &Prices) {
    std::vector<double> Daily;
    Daily.reserve(Prices.size() - 1);
    for (size_t Day = 1; Day < Prices.size(); ++Day)
      Daily.push_back(std::log(Prices[Day] / Prices[Day - 1]));
    double Sum = 0, Squares = 0;
    for (double Return : Daily)
      Sum += Return;
    Mean = Sum / static_cast<double>(Daily.size());
    for (double Return : Daily)
      Squares += (Return - Mean) * (Return - Mean);
    Deviation = std::sqrt(Squares / static_cast<double>(Daily.size() - 1));
  }
};

/// Estimates the market from its past, which is a path itself.
Market observe() {
  std::vector<double> Past = simulate({100, 0.10 / DaysPerYear, 0.012}, 20260101);
  Returns R(Past);
  return {Past.back(), R.Mean + R.Deviation * R.Deviation / 2, R.Deviation};
}

std::unique_ptr<Result> runTask(const Market &M, size_t Task) {
  std::vector<double> Prices = simulate(M, Task + 1);
  Returns R(Prices);
  auto Made = std::make_unique<Result>(Task, R.Mean, R.Deviation);
  for (size_t Day = DaysPerSample - 1; Day < Days; Day += DaysPerSample)
    Made->Samples.push_back(Prices[Day]);
  return Made;
}

void work(const kernel::Settings &S, unsigned Id, const Market &M, size_t Tasks, ResultList &List) {
  // Has somebody else done it all? The question comes without the lock.
  if (S.Race && List.Finished == Tasks) // RACE 1
    return;
  kernel::Share Mine(Tasks, Id, S.Threads);
  for (size_t Task = Mine.Begin; Task < Mine.End; ++Task) {
    std::unique_ptr<Result> Made = runTask(M, Task);
    std::scoped_lock Lock(List.Lock);
    List.Results.push_back(std::move(Made));
    ++List.Finished; // RACE 1
  }
}

/// Every task has one result, the average of the prices at the end is what theory says within five
/// standard deviations, and a sample of the results is what the task gives again.
bool isRight(const Market &M, size_t Tasks, const ResultList &List) {
  if (List.Finished != Tasks || List.Results.size() != Tasks)
    return false;
  double Sum = 0, Squares = 0, N = static_cast<double>(Tasks);
  for (size_t Task = 0; Task < Tasks; ++Task) {
    const Result &R = *List.Results[Task];
    if (R.Task != Task)
      return false;
    Sum += R.Samples.back();
    Squares += R.Samples.back() * R.Samples.back();
    if (Task % 997 == 0) {
      std::unique_ptr<Result> Again = runTask(M, Task);
      if (R.Samples != Again->Samples || R.Mean != Again->Mean)
        return false;
    }
  }
  double Mean = Sum / N, Deviation = std::sqrt((Squares - Sum * Mean) / (N - 1));
  return std::abs(Mean - M.Price * std::exp(M.Drift * Days)) < 5 * Deviation / std::sqrt(N);
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Market M = observe();
  size_t Tasks = S.scaled(Paths, 64);
  ResultList List;
  kernel::inParallel(S.Threads, [&](unsigned Id) { work(S, Id, M, Tasks, List); });

  std::ranges::sort(List.Results, {}, &Result::Task);
  kernel::Digest Digest;
  for (const auto &R : List.Results) {
    Digest.add(R->Mean);
    Digest.add(R->Volatility);
    Digest.add(R->Samples.back());
  }
  return kernel::finish(S, isRight(M, Tasks, List), Digest.value());
}
