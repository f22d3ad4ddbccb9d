//===- sparse.cpp - A sparse matrix times a vector, again and again ----------------===//
//
// Stands for sparse of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III): Y +=
// A * X, repeated, for a matrix without structure whose nonzero elements are kept as coordinates:
// three arrays for row, column and value.
//
// The elements are sorted by row, and a thread has a range of them that begins and ends with a row,
// so no two threads ever write the same element of Y. There is no synchronization but creating and
// joining the threads.
//
// For a race detector: three streams that only one thread reads, indirect reads all over a vector
// that all threads read, indirect updates of one's own part of a vector. Every round does the same
// accesses again in the same epoch, so that after the first one each check is redundant; but this
// cannot be seen from the code, as the indices are data.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <cmath>

namespace {

constexpr uint32_t Order = 500000;
constexpr size_t Elements = size_t(Order) * 5;
constexpr size_t Rounds = 200;

/// Coordinates of the nonzero elements, sorted by row. Nobody writes them while the threads run.
struct Matrix {
  std::vector<uint32_t> Row, Column;
  std::vector<double> Value;

  /// Two rows have ten elements together, at least one each, in random columns.
  Matrix() : Row(Elements), Column(Elements), Value(Elements) {
    kernel::Random Random(1);
    for (size_t I = 0, OfFirst = 0; I < Elements; ++I) {
      if (I % 10 == 0)
        OfFirst = 1 + Random.below(9);
      Row[I] = static_cast<uint32_t>(I / 10 * 2 + (I % 10 >= OfFirst));
      Column[I] = static_cast<uint32_t>(Random.below(Order));
      Value[I] = Random.real() - 0.5;
    }
  }
};

/// A thread's range of the elements, with the bounds moved to the next beginning of a row.
kernel::Share wholeRows(const Matrix &A, unsigned Id, unsigned Threads) {
  kernel::Share Mine(Elements, Id, Threads);
  for (size_t *Bound : {&Mine.Begin, &Mine.End})
    while (*Bound > 0 && *Bound < Elements && A.Row[*Bound] == A.Row[*Bound - 1])
      ++*Bound;
  return Mine;
}

void multiply(const Matrix &A, kernel::Share Mine, size_t Times, const std::vector<double> &X,
              std::vector<double> &Y) {
  for (size_t Round = 0; Round < Times; ++Round)
    for (size_t I = Mine.Begin; I < Mine.End; ++I)
      Y[A.Row[I]] += X[A.Column[I]] * A.Value[I];
}

/// Each element of Y is the row's product with X as often as there were rounds. A sample of the
/// rows is compared to the bit with what one thread gets, all of them within the rounding.
bool isRight(const Matrix &A, size_t Times, const std::vector<double> &X,
             const std::vector<double> &Y) {
  for (size_t Begin = 0, End; Begin < Elements; Begin = End) {
    uint32_t Row = A.Row[Begin];
    double Once = 0;
    for (End = Begin; End < Elements && A.Row[End] == Row; ++End)
      Once += X[A.Column[End]] * A.Value[End];
    if (std::abs(Y[Row] - Once * static_cast<double>(Times)) > 1e-9 * static_cast<double>(Times))
      return false;
    if (Row % 1009 != 0)
      continue;
    double Again = 0;
    for (size_t Round = 0; Round < Times; ++Round)
      for (size_t I = Begin; I < End; ++I)
        Again += X[A.Column[I]] * A.Value[I];
    if (Y[Row] != Again)
      return false;
  }
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  size_t Times = S.scaled(Rounds);
  Matrix A;
  kernel::Random Random(2);
  std::vector<double> X(Order), Y(Order);
  for (double &Element : X)
    Element = Random.real();

  // How many multiplications there were, from the threads' own accounts.
  std::vector<size_t> Account(S.Threads);
  size_t Multiplications = 0;
  kernel::inParallel(S.Threads, [&](unsigned Id) {
    kernel::Share Mine = wholeRows(A, Id, S.Threads);
    multiply(A, Mine, Times, X, Y);
    Account[Id] = (Mine.End - Mine.Begin) * Times;
    if (S.Race)
      Multiplications += Account[Id]; // RACE 1
  });
  if (!S.Race)
    for (size_t OneThread : Account)
      Multiplications += OneThread;

  kernel::Digest Digest;
  for (double Element : Y)
    Digest.add(Element);
  bool IsCounted = S.Race || Multiplications == Elements * Times;
  return kernel::finish(S, IsCounted && isRight(A, Times, X, Y), Digest.value());
}
