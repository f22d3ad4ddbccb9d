// A sparse matrix of 1,250,000 numbers times a vector, 20 times, with two threads. The arrays that
// are gone through in order have one check each, written by hand; what they point to is looked at
// one by one. Prints the seconds, and what it has computed.
#include "bench/ranges/checks_by_hand.h"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr size_t Rows = 250'000, Numbers = 1'250'000, Rounds = 20, Threads = 2;
std::vector<double> In(Rows), Out(Rows), Values(Numbers);
std::vector<uint32_t> RowOf(Numbers), ColumnOf(Numbers);

void multiply(size_t Begin, size_t End) {
  std::mutex Own; // a round ends with a release
  for (size_t Round = 0; Round < Rounds; ++Round) {
    for (size_t I = Begin; I < End; ++I) {
      by_hand::reads(In[ColumnOf[I]]);
      by_hand::reads(Out[RowOf[I]]);
      by_hand::writes(Out[RowOf[I]]);
      Out[RowOf[I]] += In[ColumnOf[I]] * Values[I];
    }
    by_hand::reads(&RowOf[Begin], End - Begin);
    by_hand::reads(&ColumnOf[Begin], End - Begin);
    by_hand::reads(&Values[Begin], End - Begin);
    std::lock_guard Guard(Own);
  }
}

} // namespace

int main() {
  std::mt19937 Random(1);
  for (size_t I = 0; I < Numbers; ++I) {
    RowOf[I] = uint32_t(I * Rows / Numbers); // each thread has its rows
    ColumnOf[I] = uint32_t(Random() % Rows);
    Values[I] = double(Random() % 1000) / 1000;
  }
  for (size_t I = 0; I < Rows; ++I)
    In[I] = double(I % 5);
  auto Begin = std::chrono::steady_clock::now();
  std::vector<std::thread> Workers;
  for (size_t I = 0; I < Threads; ++I)
    Workers.emplace_back(multiply, Numbers * I / Threads, Numbers * (I + 1) / Threads);
  for (std::thread &Worker : Workers)
    Worker.join();
  std::chrono::duration<double> Seconds = std::chrono::steady_clock::now() - Begin;
  double Sum = 0;
  for (double X : Out)
    Sum += X;
  std::printf("%.6f %.6e\n", Seconds.count(), Sum);
}
