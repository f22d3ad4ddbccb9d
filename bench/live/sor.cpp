// Red-black relaxation on a grid: streams through arrays, a barrier after each half sweep.
#include "bench/live/kernel.h"

#include <pthread.h>

#include <thread>
#include <vector>

namespace {

constexpr int N = 1000, Sweeps = 20;
std::vector<double> Grid(size_t(N) * N);
pthread_barrier_t Barrier;

void work(int Id, int Threads) {
  int From = 1 + (N - 2) * Id / Threads, To = 1 + (N - 2) * (Id + 1) / Threads;
  for (int Half = 0; Half < 2 * Sweeps; ++Half) {
    for (int I = From; I < To; ++I) {
      double *Row = &Grid[size_t(I) * N];
      for (int J = 1 + ((I + Half) & 1); J < N - 1; J += 2)
        Row[J] = 0.3125 * (Row[J - N] + Row[J + N] + Row[J - 1] + Row[J + 1]) - 0.25 * Row[J];
    }
    pthread_barrier_wait(&Barrier);
  }
}

} // namespace

int main() {
  constexpr int Threads = 2;
  for (size_t I = 0; I < Grid.size(); ++I)
    Grid[I] = double(I % 7);
  pthread_barrier_init(&Barrier, nullptr, Threads);
  Stopwatch Watch;
  std::vector<std::thread> Workers;
  for (int Id = 0; Id < Threads; ++Id)
    Workers.emplace_back(work, Id, Threads);
  for (std::thread &W : Workers)
    W.join();
  double Sum = 0;
  for (double Value : Grid)
    Sum += Value;
  return Watch.report(Sum > 0);
}
