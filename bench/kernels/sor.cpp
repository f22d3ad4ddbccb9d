//===- sor.cpp - Successive over-relaxation on a grid ------------------------------===//
//
// Stands for sor of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III): every
// inner point of a square grid is drawn towards the mean of its four neighbours, many times.
//
// The points are coloured like a chessboard. A sweep updates the red points, which have black
// neighbours only, and then the black ones; there is a barrier after each half. A thread has a
// range of rows; it reads the last row of the thread above and the first one of the thread below.
//
// For a race detector: streams with a stride of two elements through a large array, each half sweep
// in an epoch of its own. Nearly all of the grid is never touched by a second thread, while the
// rows at the seams are written by one thread and read by another in turns, ordered by the barrier
// alone.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <atomic>
#include <barrier>
#include <cmath>
#include <numeric>

namespace {

constexpr size_t Side = 2800, Sweeps = 130;
constexpr double Omega = 1.25;

/// A rectangle of the world's points. The points at its border never change.
struct Grid {
  size_t FirstRow, FirstColumn, Rows, Columns;
  std::vector<double> Point;

  Grid(size_t FirstRow, size_t FirstColumn, size_t Rows, size_t Columns)
      : FirstRow(FirstRow), FirstColumn(FirstColumn), Rows(Rows), Columns(Columns),
        Point(Rows * Columns) {
    for (size_t I = 0; I < Rows; ++I)
      for (size_t J = 0; J < Columns; ++J)
        at(I, J) = kernel::Random((FirstRow + I) * Side + FirstColumn + J).real();
  }

  double &at(size_t Row, size_t Column) { return Point[Row * Columns + Column]; }

  /// Half a sweep through the inner rows From to To - 1.
  void relax(size_t Colour, size_t From, size_t To) {
    for (size_t I = From; I < To; ++I) {
      const double *Above = &at(I - 1, 0), *Below = &at(I + 1, 0);
      double *Row = &at(I, 0);
      for (size_t J = 1 + (FirstRow + I + FirstColumn + Colour) % 2; J < Columns - 1; J += 2) {
        double Neighbours = Above[J] + Below[J] + Row[J - 1] + Row[J + 1];
        Row[J] = Omega / 4 * Neighbours + (1 - Omega) * Row[J]; // RACE 1
      }
    }
  }
};

void work(const kernel::Settings &S, unsigned Id, Grid &World, std::barrier<> &Barrier,
          std::atomic<bool> &IsFinite) {
  kernel::Share Inner(Side - 2, Id, S.Threads);
  // The row above belongs to somebody who may be relaxing it already.
  if (S.Race && Id > 0 && !std::isfinite(World.at(Inner.Begin, 1 + Inner.Begin % 2))) // RACE 1
    IsFinite = false;
  for (size_t Half = 0; Half < 2 * S.scaled(Sweeps); ++Half) {
    World.relax(Half % 2, Inner.Begin + 1, Inner.End + 1);
    Barrier.arrive_and_wait();
  }
}

/// What happens outside a window comes nearer by one point in each half sweep. So one thread can
/// compute a few points in the middle of the world again, to the bit, from a window around them
/// that is just large enough. The points are at the seam between the first two threads.
bool isRight(const kernel::Settings &S, Grid &World) {
  constexpr size_t Sample = 8;
  size_t Reach = 2 * S.scaled(Sweeps) + Sample;
  auto Window = [Reach](size_t Middle) {
    size_t Begin = Middle > Reach ? Middle - Reach : 0;
    return std::pair(Begin, std::min(Middle + Reach + 1, Side) - Begin);
  };
  size_t Row = 1 + kernel::Share(Side - 2, 0, S.Threads).End, Column = Side / 3;
  if (S.Threads == 1)
    Row = Side / 2;
  auto [FirstRow, Rows] = Window(Row);
  auto [FirstColumn, Columns] = Window(Column);
  Grid Alone(FirstRow, FirstColumn, Rows, Columns);
  for (size_t Half = 0; Half < 2 * S.scaled(Sweeps); ++Half)
    Alone.relax(Half % 2, 1, Rows - 1);
  for (size_t I = Row - Sample; I < Row + Sample; ++I)
    for (size_t J = Column - Sample; J < Column + Sample; ++J)
      if (Alone.at(I - FirstRow, J - FirstColumn) != World.at(I, J))
        return false;
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Grid World(0, 0, Side, Side);
  std::atomic<bool> IsFinite = true;
  std::barrier Barrier(S.Threads);
  kernel::inParallel(S.Threads, [&](unsigned Id) { work(S, Id, World, Barrier, IsFinite); });

  kernel::Digest Digest;
  for (size_t I = 0; I < Side; ++I)
    Digest.add(std::accumulate(&World.at(I, 0), &World.at(I, 0) + Side, 0.0));
  return kernel::finish(S, IsFinite && isRight(S, World), Digest.value());
}
