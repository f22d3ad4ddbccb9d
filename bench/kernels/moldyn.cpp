//===- moldyn.cpp - Argon atoms in a periodic box ----------------------------------===//
//
// Stands for moldyn of the Java Grande suite (bigfoot.txt Table 1): molecular dynamics of atoms
// with a Lennard-Jones potential in a box that repeats in all directions, started from a
// face-centred cubic lattice, every pair looked at in every step.
//
// A pair's force belongs to both atoms, so two threads would write the same element. Each thread
// has a force array of its own instead, over all atoms. A step is, for each thread,
//
//   move       its own atoms               writes positions
//   barrier
//   push       its rows of the pairs       reads all positions, writes its own force array
//   barrier
//   reduce     its own atoms               reads all force arrays, writes velocities
//
// and at the end of a step the energies are added up under a lock. Forces and energies are sums of
// integers, as in the fixed-point force fields of GPU codes: integers can be added in any order,
// so the trajectory is the same to the bit for any number of threads.
//
// For a race detector: positions that change from written by one thread to read by all and back
// in every step, private arrays with two streams of updates, sums across the arrays of all threads,
// two barriers and a lock in each step.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <barrier>
#include <cmath>
#include <mutex>

namespace {

// In the units of the potential: its well is 1 deep, its zero is at distance 1, an atom weighs 1.
constexpr size_t CellsPerSide = 8, AtomCount = 4 * CellsPerSide * CellsPerSide * CellsPerSide;
constexpr size_t Steps = 150;
constexpr double Density = 0.8442, Temperature = 0.72, TimeStep = 0.004, Cutoff = 2.5;

constexpr double FixedPoint = 0x1p40;
int64_t toFixed(double Value) { return static_cast<int64_t>(Value * FixedPoint); }
double fromFixed(int64_t Value) { return static_cast<double>(Value) / FixedPoint; }

struct Vector {
  double X = 0, Y = 0, Z = 0;
};

struct Atom {
  Vector Position, Velocity;
};

struct Force {
  int64_t X = 0, Y = 0, Z = 0;
  bool operator==(const Force &) const = default;
};

struct Energy {
  int64_t Potential = 0, Kinetic = 0;
};

/// The atoms and what happens to them.
struct System {
  double Side, HalfSide;
  /// Each atom is written by its thread in move and reduce; positions are read by all in push.
  std::vector<Atom> Atoms;
  /// The sum of the force on each atom; written and read by the atom's thread only.
  std::vector<Force> Total;
  /// By thread. Written by it in push, read by all in reduce.
  std::vector<std::vector<Force>> Partial;
  std::mutex EnergyLock;
  /// By step; under EnergyLock.
  std::vector<Energy> Energies;
};

/// The distance along one side to the nearest image of the other atom.
double nearestImage(double Distance, const System &Box) {
  if (Distance > Box.HalfSide)
    return Distance - Box.Side;
  if (Distance < -Box.HalfSide)
    return Distance + Box.Side;
  return Distance;
}

double wrapped(double Position, double Side) {
  return Position < 0 ? Position + Side : Position >= Side ? Position - Side : Position;
}

/// What B does to A. Their order does not matter but for the sign, exactly.
struct Interaction {
  Force On;
  int64_t Potential = 0;

  Interaction(const System &Box, const Vector &A, const Vector &B) {
    double X = nearestImage(A.X - B.X, Box);
    double Y = nearestImage(A.Y - B.Y, Box);
    double Z = nearestImage(A.Z - B.Z, Box);
    double Square = X * X + Y * Y + Z * Z;
    if (Square >= Cutoff * Cutoff)
      return;
    double Inverse = 1 / Square, Inverse6 = Inverse * Inverse * Inverse;
    double PerDistance = 48 * Inverse * Inverse6 * (Inverse6 - 0.5);
    On = {toFixed(X * PerDistance), toFixed(Y * PerDistance), toFixed(Z * PerDistance)};
    // Shifted so that it is zero at the cutoff; else no step would keep the energy.
    constexpr double Cut2 = 1 / (Cutoff * Cutoff), Cut6 = Cut2 * Cut2 * Cut2;
    Potential = toFixed(4 * (Inverse6 * (Inverse6 - 1) - Cut6 * (Cut6 - 1)));
  }
};

void move(System &Box, kernel::Share Mine) {
  for (size_t I = Mine.Begin; I < Mine.End; ++I) {
    Vector &Position = Box.Atoms[I].Position, &Velocity = Box.Atoms[I].Velocity;
    Velocity.X += fromFixed(Box.Total[I].X) * TimeStep / 2;
    Velocity.Y += fromFixed(Box.Total[I].Y) * TimeStep / 2;
    Velocity.Z += fromFixed(Box.Total[I].Z) * TimeStep / 2;
    Position.X = wrapped(Position.X + Velocity.X * TimeStep, Box.Side);
    Position.Y = wrapped(Position.Y + Velocity.Y * TimeStep, Box.Side);
    Position.Z = wrapped(Position.Z + Velocity.Z * TimeStep, Box.Side);
  }
}

/// Rows of the triangle of pairs become shorter, so they go round the threads. The potential energy
/// of the thread's pairs.
int64_t push(System &Box, unsigned Id, unsigned Threads) {
  std::vector<Force> &Mine = Box.Partial[Id];
  std::ranges::fill(Mine, Force());
  int64_t Potential = 0;
  for (size_t I = Id; I < AtomCount; I += Threads) {
    Vector Position = Box.Atoms[I].Position;
    Force Sum;
    for (size_t J = I + 1; J < AtomCount; ++J) {
      Interaction Pair(Box, Position, Box.Atoms[J].Position);
      if (Pair.Potential == 0)
        continue;
      Sum.X += Pair.On.X;
      Sum.Y += Pair.On.Y;
      Sum.Z += Pair.On.Z;
      Mine[J].X -= Pair.On.X;
      Mine[J].Y -= Pair.On.Y;
      Mine[J].Z -= Pair.On.Z;
      Potential += Pair.Potential;
    }
    Mine[I].X += Sum.X;
    Mine[I].Y += Sum.Y;
    Mine[I].Z += Sum.Z;
  }
  return Potential;
}

/// The kinetic energy of the thread's atoms.
int64_t reduce(System &Box, kernel::Share Mine) {
  int64_t Kinetic = 0;
  for (size_t I = Mine.Begin; I < Mine.End; ++I) {
    Force Sum;
    for (const std::vector<Force> &Partial : Box.Partial) {
      Sum.X += Partial[I].X;
      Sum.Y += Partial[I].Y;
      Sum.Z += Partial[I].Z;
    }
    Box.Total[I] = Sum;
    Vector &V = Box.Atoms[I].Velocity;
    V.X += fromFixed(Sum.X) * TimeStep / 2;
    V.Y += fromFixed(Sum.Y) * TimeStep / 2;
    V.Z += fromFixed(Sum.Z) * TimeStep / 2;
    Kinetic += toFixed((V.X * V.X + V.Y * V.Y + V.Z * V.Z) / 2);
  }
  return Kinetic;
}

void work(const kernel::Settings &S, unsigned Id, System &Box, std::barrier<> &Barrier) {
  // Every thread, to be sure, with the value that is there already.
  if (S.Race)
    Box.HalfSide = Box.Side / 2; // RACE 1
  kernel::Share Mine(AtomCount, Id, S.Threads);
  for (Energy &Total : Box.Energies) {
    move(Box, Mine);
    Barrier.arrive_and_wait();
    int64_t Potential = push(Box, Id, S.Threads);
    Barrier.arrive_and_wait();
    int64_t Kinetic = reduce(Box, Mine);
    std::scoped_lock Lock(Box.EnergyLock);
    Total.Potential += Potential;
    Total.Kinetic += Kinetic;
  }
}

/// Atoms on their lattice, with random velocities that add up to zero.
void fill(System &Box) {
  constexpr double Corners[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  Box.Side = std::cbrt(AtomCount / Density);
  Box.HalfSide = Box.Side / 2;
  double Cell = Box.Side / CellsPerSide;
  kernel::Random Random(1);
  Vector Sum;
  for (size_t I = 0; I < AtomCount; ++I) {
    const double *Corner = Corners[I % 4];
    auto At = [Corner, Cell](size_t Index, int Axis) {
      return (static_cast<double>(Index % CellsPerSide) + Corner[Axis] + 0.25) * Cell;
    };
    size_t Index = I / 4;
    Atom A;
    A.Position = {At(Index, 0), At(Index / CellsPerSide, 1),
                  At(Index / CellsPerSide / CellsPerSide, 2)};
    // Uniform with the variance of the temperature; collisions make it Maxwell's distribution.
    double Range = std::sqrt(12 * Temperature);
    A.Velocity = {Range * (Random.real() - 0.5), Range * (Random.real() - 0.5),
                  Range * (Random.real() - 0.5)};
    Sum.X += A.Velocity.X;
    Sum.Y += A.Velocity.Y;
    Sum.Z += A.Velocity.Z;
    Box.Atoms.push_back(A);
  }
  for (Atom &A : Box.Atoms) {
    A.Velocity.X -= Sum.X / AtomCount;
    A.Velocity.Y -= Sum.Y / AtomCount;
    A.Velocity.Z -= Sum.Z / AtomCount;
  }
}

/// Energy and momentum are kept, and the last forces on a sample of the atoms are what one thread
/// gets that adds up all their pairs.
bool isRight(const System &Box) {
  auto PerAtom = [](const Energy &E) { return fromFixed(E.Potential + E.Kinetic) / AtomCount; };
  bool IsRight = std::abs(PerAtom(Box.Energies.front()) - PerAtom(Box.Energies.back())) < 2e-3;
  Vector Momentum;
  for (const Atom &A : Box.Atoms) {
    Momentum.X += A.Velocity.X;
    Momentum.Y += A.Velocity.Y;
    Momentum.Z += A.Velocity.Z;
  }
  IsRight = IsRight && std::hypot(Momentum.X, Momentum.Y, Momentum.Z) < 1e-6;
  for (size_t I = 0; I < AtomCount; I += 61) {
    Force Sum;
    for (size_t J = 0; J < AtomCount; ++J)
      if (J != I) {
        Force On = Interaction(Box, Box.Atoms[I].Position, Box.Atoms[J].Position).On;
        Sum = {Sum.X + On.X, Sum.Y + On.Y, Sum.Z + On.Z};
      }
    IsRight = IsRight && Sum == Box.Total[I];
  }
  return IsRight;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  System Box;
  fill(Box);
  Box.Total.resize(AtomCount);
  Box.Partial.assign(S.Threads, std::vector<Force>(AtomCount));
  Box.Energies.resize(S.scaled(Steps));

  std::barrier Barrier(S.Threads);
  kernel::inParallel(S.Threads, [&](unsigned Id) { work(S, Id, Box, Barrier); });

  kernel::Digest Digest;
  for (const Energy &E : Box.Energies) {
    Digest.add(static_cast<uint64_t>(E.Potential));
    Digest.add(static_cast<uint64_t>(E.Kinetic));
  }
  return kernel::finish(S, isRight(Box), Digest.value());
}
