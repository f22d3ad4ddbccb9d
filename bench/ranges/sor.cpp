// Red-black relaxation of 2000 x 2000 points, 40 times, with two threads; the checks of a row are
// four, written by hand. Prints the seconds, and what it has computed.
#include "bench/ranges/checks_by_hand.h"

#include <chrono>
#include <cstdio>
#include <pthread.h>
#include <thread>
#include <vector>

namespace {

constexpr size_t Size = 2000, Sweeps = 40, Threads = 2;
std::vector<double> Grid(Size *Size);
pthread_barrier_t AllDone;

void relaxRow(double *Row, size_t First) {
  for (size_t J = First; J < Size - 1; J += 2)
    Row[J] = 0.3125 * (Row[J - Size] + Row[J + Size] + Row[J - 1] + Row[J + 1]) - 0.25 * Row[J];
  size_t Count = (Size - First) / 2;
  by_hand::reads(Row + First - Size, Count, 2);
  by_hand::reads(Row + First + Size, Count, 2);
  by_hand::reads(Row + First - 1, Count + 1, 2);
  by_hand::writes(Row + First, Count, 2);
}

void relax(size_t Begin, size_t End) {
  for (size_t Phase = 0; Phase < 2 * Sweeps; ++Phase) {
    for (size_t I = Begin; I < End; ++I)
      relaxRow(&Grid[I * Size], 1 + (I + Phase) % 2);
    pthread_barrier_wait(&AllDone);
  }
}

} // namespace

int main() {
  for (size_t I = 0; I < Grid.size(); ++I)
    Grid[I] = double(I % 7);
  pthread_barrier_init(&AllDone, nullptr, Threads);
  auto Begin = std::chrono::steady_clock::now();
  std::vector<std::thread> Workers;
  for (size_t I = 0; I < Threads; ++I)
    Workers.emplace_back(relax, 1 + (Size - 2) * I / Threads, 1 + (Size - 2) * (I + 1) / Threads);
  for (std::thread &Worker : Workers)
    Worker.join();
  std::chrono::duration<double> Seconds = std::chrono::steady_clock::now() - Begin;
  double Sum = 0;
  for (double X : Grid)
    Sum += X;
  std::printf("%.6f %.6e\n", Seconds.count(), Sum);
}
