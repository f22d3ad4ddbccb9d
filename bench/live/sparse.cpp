// Sparse matrix times vector, again and again: indirect reads that all threads share, writes of
// their own.
#include "bench/live/kernel.h"

#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr uint32_t Rows = 40000, PerRow = 8, Rounds = 20;
std::vector<uint32_t> Column(size_t(Rows) * PerRow);
std::vector<double> Value(size_t(Rows) * PerRow), X(Rows), Y(Rows);

void work(uint32_t From, uint32_t To) {
  for (uint32_t Round = 0; Round < Rounds; ++Round)
    for (uint32_t I = From; I < To; ++I) {
      double Sum = 0;
      for (uint32_t K = I * PerRow; K < (I + 1) * PerRow; ++K)
        Sum += Value[K] * X[Column[K]];
      Y[I] = Sum;
    }
}

} // namespace

int main() {
  constexpr uint32_t Threads = 2;
  uint32_t Random = 1;
  for (size_t K = 0; K < Column.size(); ++K) {
    Random = Random * 1664525 + 1013904223;
    Column[K] = (Random >> 8) % Rows;
    Value[K] = 1.0;
  }
  for (uint32_t I = 0; I < Rows; ++I)
    X[I] = 1.0;
  Stopwatch Watch;
  std::vector<std::thread> Workers;
  for (uint32_t T = 0; T < Threads; ++T)
    Workers.emplace_back(work, Rows / Threads * T, Rows / Threads * (T + 1));
  for (std::thread &W : Workers)
    W.join();
  double Sum = 0;
  for (double Element : Y)
    Sum += Element;
  return Watch.report(Sum == double(Rows) * PerRow);
}
