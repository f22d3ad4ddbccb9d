//===- series.cpp - Fourier coefficients of (x+1)^x --------------------------------===//
//
// Stands for series of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III): the
// first N pairs of Fourier coefficients of (x+1)^x on [0,2], each an integral by the trapezoid
// rule with a thousand intervals.
//
// Every thread computes a range of the terms and writes them into two shared arrays, which nobody
// reads before the threads are joined. Thread 0 has the constant term in addition.
//
// For a race detector: nearly nothing. Two writes to shared memory for some 2000 calls of pow, sin
// and cos; whatever a detector costs here is the price of being there at all.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <cmath>
#include <numbers>

namespace {

constexpr size_t Terms = 30000;
constexpr unsigned Intervals = 1000;
constexpr double Begin = 0, End = 2;

enum class Wave { None, Cosine, Sine };

/// The function times the wave of the given term.
double sample(double X, size_t Term, Wave Kind) {
  double Function = std::pow(X + 1, X);
  double Angle = std::numbers::pi * static_cast<double>(Term) * X;
  switch (Kind) {
  case Wave::None:
    return Function;
  case Wave::Cosine:
    return Function * std::cos(Angle);
  case Wave::Sine:
    return Function * std::sin(Angle);
  }
  return 0;
}

double trapezoids(size_t Term, Wave Kind) {
  double Step = (End - Begin) / Intervals;
  double Sum = (sample(Begin, Term, Kind) + sample(End, Term, Kind)) / 2;
  for (unsigned I = 1; I < Intervals; ++I)
    Sum += sample(Begin + I * Step, Term, Kind);
  return Sum * Step;
}

/// The same integral by another rule, to compare with.
double simpson(size_t Term, Wave Kind) {
  double Step = (End - Begin) / Intervals;
  double Sum = 0;
  for (unsigned I = 0; I < Intervals; ++I) {
    double X = Begin + I * Step;
    Sum +=
        sample(X, Term, Kind) + 4 * sample(X + Step / 2, Term, Kind) + sample(X + Step, Term, Kind);
  }
  return Sum * Step / 6;
}

/// Coefficients by term. Each element is written by the thread that has the term in its share.
struct Series {
  std::vector<double> Cosine, Sine;
  explicit Series(size_t N) : Cosine(N), Sine(N) {}
};

void work(const kernel::Settings &S, unsigned Id, Series &Result) {
  if (Id == 0)
    Result.Cosine[0] = trapezoids(0, Wave::None) / 2; // RACE 1
  // Without its constant term a series is worth nothing, but here nobody has waited for it.
  else if (S.Race && std::isnan(Result.Cosine[0])) // RACE 1
    return;
  kernel::Share Mine(Result.Cosine.size() - 1, Id, S.Threads);
  for (size_t Term = Mine.Begin + 1; Term <= Mine.End; ++Term) {
    Result.Cosine[Term] = trapezoids(Term, Wave::Cosine);
    Result.Sine[Term] = trapezoids(Term, Wave::Sine);
  }
}

/// The first terms are what they are by Simpson's rule, within the error of the trapezoids, and a
/// sample of all is what one thread alone gets, to the bit.
bool isRight(const Series &Result) {
  auto IsNear = [](double A, double B) { return std::abs(A - B) < 1e-4; };
  bool IsRight = IsNear(Result.Cosine[0], simpson(0, Wave::None) / 2);
  for (size_t Term = 1; Term < 8; ++Term)
    IsRight = IsRight && IsNear(Result.Cosine[Term], simpson(Term, Wave::Cosine)) &&
              IsNear(Result.Sine[Term], simpson(Term, Wave::Sine));
  for (size_t Term = 1; Term < Result.Cosine.size(); Term += Result.Cosine.size() / 64)
    IsRight = IsRight && Result.Cosine[Term] == trapezoids(Term, Wave::Cosine) &&
              Result.Sine[Term] == trapezoids(Term, Wave::Sine);
  return IsRight && std::ranges::count(Result.Cosine, 0) == 0;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Series Result(S.scaled(Terms, 64));
  kernel::inParallel(S.Threads, [&](unsigned Id) { work(S, Id, Result); });

  kernel::Digest Digest;
  for (size_t Term = 0; Term < Result.Cosine.size(); ++Term) {
    Digest.add(Result.Cosine[Term]);
    Digest.add(Result.Sine[Term]);
  }
  return kernel::finish(S, isRight(Result), Digest.value());
}
