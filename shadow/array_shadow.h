//===- array_shadow.h - The compressed shadow of one array -------------------===//
//
// SlimState's ArrayShadow: a partition P, the cells T of its parts, and for each
// thread what it has read and written since its last synchronization and not yet
// committed (slimstate.txt, section V-B).
//
// The paper's arrays know their element type. Memory does not, so an array shadow has
// a grain: the element size that the accesses so far agree on. An access that does not
// fit makes the grain finer, and the partition is carried over; only STRIDE has no
// finer counterpart and becomes FINE.
//
// Owned by whoever calls: a single-threaded analysis, or the holder of a lock on it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_ARRAY_SHADOW_H
#define PHOTOFINISH_SHADOW_ARRAY_SHADOW_H

#include "detector/array.h"
#include "detector/cell.h"
#include "shadow/partition.h"

#include <new>

namespace photofinish {

class ArrayShadow {
public:
  /// Arrays of fewer elements are not worth footprints and partitions.
  static constexpr uint64_t SmallArray = 16;

  struct Footprints {
    StridedRange Read, Write;
    bool isEmpty() const { return Read.isEmpty() && Write.isEmpty(); }
  };

  ArrayShadow(uint64_t Base, uint64_t Bytes, uint64_t Grain)
      : Base(Base), Bytes(Bytes), Grain(Grain) {
    uint64_t N = Bytes / Grain;
    install(N < SmallArray ? Partition::fine(N) : Partition::coarse(N),
            [](uint64_t) -> const Cell * { return nullptr; });
  }
  ArrayShadow(const ArrayShadow &) = delete;
  ArrayShadow &operator=(const ArrayShadow &) = delete;
  ~ArrayShadow() { drop(T, P.cells()); }

  uint64_t base() const { return Base; }
  uint64_t bytes() const { return Bytes; }
  uint64_t grain() const { return Grain; }
  uint64_t elements() const { return P.Elements; }
  const Partition &partition() const { return P; }
  uint64_t addressOf(uint64_t Element) const { return Base + Element * Grain; }

  /// In these modes accesses are committed as they occur.
  bool commitsAtOnce() const {
    return P.Mode == PartitionMode::Fine || P.Mode == PartitionMode::Prefix;
  }

  Footprints &footprints(uint32_t Thread) {
    ByThread.growTo(Thread + 1);
    return ByThread[Thread];
  }
  uint32_t threads() const { return ByThread.size(); }

  Cell &cell(uint64_t C) { return T[C]; }
  const Cell &cell(uint64_t C) const { return T[C]; }
  uint64_t cells() const { return P.cells(); }

  /// [SS REFINE] for F: returns the row of Table I that applied.
  unsigned refineFor(const StridedRange &F) {
    Partition New = P;
    unsigned Row = refine::apply(New, F);
    if (New != P)
      install(New, [&](uint64_t Element) { return &T[P.cellOf(Element)]; });
    return Row;
  }

  /// Elements become Grain / Factor bytes. No footprint may be pending.
  void refineGrain(uint64_t Factor) {
    uint64_t N = P.Elements * Factor;
    Partition New = P;
    New.Elements = N;
    switch (P.Mode) {
    case PartitionMode::Coarse:
      break;
    case PartitionMode::Fine: // FINE = BLOCK(1)
      New = N < SmallArray ? Partition::fine(N) : Partition::block(N, Factor);
      break;
    case PartitionMode::Stride:
      New = Partition::fine(N);
      break;
    case PartitionMode::Block:
    case PartitionMode::Split:
    case PartitionMode::Prefix:
      New.Param = P.Param * Factor;
      break;
    }
    install(New, [&](uint64_t Element) { return &T[P.cellOf(Element / Factor)]; });
    Grain /= Factor;
  }

private:
  /// Replaces the partition; OldCell(element) is the cell an element had, null for none.
  template <class Fn> void install(const Partition &New, Fn &&OldCell) {
    uint64_t N = New.cells();
    auto *Cells = static_cast<Cell *>(host::allocate(N * sizeof(Cell)));
    for (uint64_t C = 0; C < N; ++C) {
      Cell *X = new (&Cells[C]) Cell();
      X->assertOwned();
      if (const Cell *Old = OldCell(New.part(C).Begin)) {
        Old->assertOwned();
        X->copyFrom(*Old);
      }
    }
    if (T)
      drop(T, P.cells());
    P = New;
    T = Cells;
  }
  static void drop(Cell *Cells, uint64_t N) {
    for (uint64_t C = 0; C < N; ++C)
      Cells[C].~Cell();
    host::release(Cells, N * sizeof(Cell));
  }

  uint64_t Base, Bytes, Grain;
  Partition P;
  Cell *T = nullptr;
  Array<Footprints> ByThread;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_ARRAY_SHADOW_H
