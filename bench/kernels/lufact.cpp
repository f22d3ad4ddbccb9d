//===- lufact.cpp - A system of linear equations by LU factorisation ---------------===//
//
// Stands for lufact of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III), which
// is LINPACK: Gaussian elimination with partial pivoting of a dense matrix, then a solution for
// one right-hand side.
//
// As in LINPACK a column lies in one piece; every column is an array. Columns go round the threads
// like cards, so that all of them have work to the end. In step K, between two barriers, every
// thread subtracts a multiple of column K from each of its columns to the right of K, and the one
// who has column K + 1 chooses the pivot there, so that one barrier in each step is enough.
//
// For a race detector: streams through triangles. A step reads column K in all threads and updates
// every other column in one thread, from element K on: the part of an array that is accessed
// becomes smaller with every step, and a column changes from written by one to read by all. A
// barrier for every N * N / Threads updates or fewer.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <barrier>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

constexpr size_t Order = 2100;

using Vector = std::vector<double>;

/// A column is written by the thread who has it, until its own step; from then on it is read only,
/// and so is the pivot that belongs to it.
struct Matrix {
  std::vector<Vector> Column;
  /// The row that changed places with row K in step K; order() means that there is none.
  std::vector<size_t> Pivot;
  size_t order() const { return Column.size(); }
};

Vector randomColumn(size_t J, size_t N) {
  kernel::Random Random(J + 1);
  Vector Column(N);
  for (double &Element : Column)
    Element = Random.real() - 0.5;
  return Column;
}

/// To -= Factor * From, from Begin on.
void subtract(Vector &To, double Factor, const Vector &From, size_t Begin) {
  for (size_t I = Begin; I < To.size(); ++I)
    To[I] -= Factor * From[I];
}

/// Moves the largest element of column K, from the diagonal down, to the diagonal and divides the
/// others by it: the factors that step K needs.
void choosePivot(Matrix &A, size_t K) {
  Vector &Column = A.Column[K];
  size_t Largest = K;
  for (size_t I = K + 1; I < Column.size(); ++I)
    if (std::abs(Column[I]) > std::abs(Column[Largest]))
      Largest = I;
  if (Column[Largest] == 0) {
    A.Pivot[K] = A.order();
    return;
  }
  A.Pivot[K] = Largest; // RACE 1
  std::swap(Column[K], Column[Largest]);
  double Reciprocal = 1 / Column[K];
  for (size_t I = K + 1; I < Column.size(); ++I)
    Column[I] *= Reciprocal;
}

/// Step K for column J.
void eliminate(Matrix &A, size_t K, size_t J) {
  Vector &Column = A.Column[J];
  std::swap(Column[K], Column[A.Pivot[K]]);
  subtract(Column, Column[K], A.Column[K], K + 1);
}

/// One thread's part of the factorisation.
void factorise(const kernel::Settings &S, unsigned Id, Matrix &A, std::barrier<> &Barrier) {
  bool IsSingular = false;
  if (Id == 0)
    choosePivot(A, 0);
  else if (S.Race)                        // It is too early to ask for a pivot before the barrier.
    IsSingular = A.Pivot[0] == A.order(); // RACE 1
  for (size_t K = 0; K + 1 < A.order(); ++K) {
    Barrier.arrive_and_wait();
    IsSingular = IsSingular || A.Pivot[K] == A.order();
    if (IsSingular)
      continue;
    size_t First = K + 1 + (Id + S.Threads - (K + 1) % S.Threads) % S.Threads;
    for (size_t J = First; J < A.order(); J += S.Threads) {
      eliminate(A, K, J);
      if (J == K + 1)
        choosePivot(A, J);
    }
  }
}

/// Solves A * X = B for a factorised A.
Vector solve(const Matrix &A, Vector B) {
  for (size_t K = 0; K + 1 < A.order(); ++K) {
    std::swap(B[K], B[A.Pivot[K]]);
    subtract(B, B[K], A.Column[K], K + 1);
  }
  for (size_t K = A.order(); K-- > 0;) {
    B[K] /= A.Column[K][K];
    for (size_t I = 0; I < K; ++I)
      B[I] -= B[K] * A.Column[K][I];
  }
  return B;
}

double absolute(double A, double B) { return A + std::abs(B); }

/// LINPACK's own test: what is left of B after A * X has been taken away is nothing but rounding.
bool isSolution(const Vector &X, const Vector &B) {
  auto Size = [](const Vector &V) { return std::accumulate(V.begin(), V.end(), 0.0, absolute); };
  Vector Residual = B;
  double Norm = 0;
  for (size_t J = 0; J < X.size(); ++J) {
    Vector Column = randomColumn(J, X.size());
    subtract(Residual, X[J], Column, 0);
    Norm = std::max(Norm, Size(Column));
  }
  return Size(Residual) < 100 * std::numeric_limits<double>::epsilon() * Norm * Size(X);
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  // The work grows with the third power of the order.
  size_t N = std::max<size_t>(32, static_cast<size_t>(std::cbrt(S.Scale) * Order));

  // The right-hand side is chosen so that the solution is 1 everywhere.
  Matrix A;
  Vector B(N);
  for (size_t J = 0; J < N; ++J) {
    A.Column.push_back(randomColumn(J, N));
    subtract(B, -1, A.Column[J], 0);
  }
  A.Pivot.resize(N);

  std::barrier Barrier(S.Threads);
  kernel::inParallel(S.Threads, [&](unsigned Id) { factorise(S, Id, A, Barrier); });
  Vector X = solve(A, B);

  kernel::Digest Digest;
  for (double Element : X)
    Digest.add(Element);
  return kernel::finish(S, isSolution(X, B), Digest.value());
}
