//===- slimstate.cpp - SlimState over a trace --------------------------------===//
//
// slimstate.txt, section V: allocations are arrays with a compressed shadow, all other
// memory is tracked as VerifiedFT does. A thread's accesses to an array extend its
// footprint there; its commit buffer lists the arrays with footprints, and is emptied
// when the thread synchronizes or the buffer is full. An array in FINE or PREFIX mode
// builds no footprints. An array that atomics touch leaves compression for good: one
// atomic needs state of its own per byte, and orders nothing else in the array.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/compressed_detector.h"
#include "detector/offline/create.h"
#include "detector/verifiedft.h"
#include "shadow/array_shadow.h"

#include <algorithm>
#include <map>

using namespace photofinish;

namespace {

class SlimState final : public CompressedDetector {
public:
  using CompressedDetector::CompressedDetector;

  std::vector<RuleCount> ruleCounts() const override {
    std::vector<RuleCount> Counts = Order.ruleCounts();
    for (unsigned R = 0; R < refine::NumRows; ++R)
      if (Rows[R])
        Counts.push_back({refine::TableI[R].Name, Rows[R], RuleKind::State});
    Counts.push_back({"Buffer Flush", BufferFlushes, RuleKind::State});
    return Counts;
  }

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    for (const auto &[Base, R] : Regions) {
      Size.Elements += R.Shadow ? R.Shadow->elements() : R.ExpelledElements;
      Size.Cells += R.Shadow ? R.Shadow->cells() : R.ExpelledElements;
    }
    Size.PeakCells = std::max(PeakCells, Size.Cells);
    return Size;
  }

private:
  using RestHandlers = CellHandlers<VerifiedFTOwned>;
  static constexpr size_t BufferSize = 2048;
  static constexpr uint64_t MaxGrain = 8;

  struct Region {
    uint64_t Bytes = 0;
    std::unique_ptr<ArrayShadow> Shadow; // from the first access on
    uint64_t ExpelledElements = 0;       // where it moved to Rest: how many it had
  };
  using RegionMap = std::map<uint64_t, Region>; // by base

  void access(const Operation &Op) override {
    ThreadState &T = Order.thread(Op.Thread);
    AccessKind Kind = accessKind(Op.Kind);
    forEachRegion(Op.Target, Op.Size, [&](RegionMap::value_type *R, uint64_t At, uint64_t Size) {
      if (R && !R->second.ExpelledElements)
        accessArray(T, *R, At, Size, Kind, Op.Site);
      else
        accessRest(T, At, Size, Kind, Op.Site);
    });
    restartFullLog(T);
  }

  void atomicAccess(const Operation &Op) override {
    forEachRegion(Op.Target, Op.Size, [&](RegionMap::value_type *R, uint64_t At, uint64_t Size) {
      if (R)
        expel(*R);
      accessRest(Order.thread(Op.Thread), At, Size, accessKind(Op.Kind), Op.Site);
    });
  }

  void commitThread(ThreadId Thread) override {
    if (Thread >= Buffers.size() || Buffers[Thread].empty())
      return;
    ThreadState &T = Order.thread(Thread);
    for (ArrayShadow *A : Buffers[Thread])
      commitFootprints(T, *A);
    Buffers[Thread].clear();
    Logs[Logs.current(T.now())].beginSegment();
    sweepLogs();
  }

  void commitRange(uint64_t Address, uint64_t Size) override {
    forEachRegion(Address, Size, [&](RegionMap::value_type *R, uint64_t, uint64_t) {
      if (R && R->second.Shadow)
        commitAllThreads(*R->second.Shadow);
    });
  }

  void resetRange(uint64_t Address, uint64_t Size) override {
    std::vector<RegionMap::value_type *> Overlapped;
    forEachRegion(Address, Size, [&](RegionMap::value_type *R, uint64_t, uint64_t) {
      if (R)
        Overlapped.push_back(R);
    });
    for (RegionMap::value_type *R : Overlapped) {
      // What lies outside stays comparable: use after free is a race, too.
      if (R->first < Address || R->first + R->second.Bytes > Address + Size)
        expel(*R);
      forgetBuffered(R->second.Shadow.get());
      Cells -= R->second.Shadow ? R->second.Shadow->cells() : R->second.ExpelledElements;
      LastRegion = nullptr;
      Regions.erase(R->first);
    }
    Rest.reset(Address, Size);
    Regions[Address].Bytes = Size;
  }

  /// Calls Visit(region or null, address, bytes) for the pieces of a range.
  template <class Fn> void forEachRegion(uint64_t Address, uint64_t Size, Fn &&Visit) {
    while (Size) {
      if (LastRegion && Address - LastRegion->first < LastRegion->second.Bytes &&
          Size <= LastRegion->second.Bytes - (Address - LastRegion->first))
        return Visit(LastRegion, Address, Size);
      auto It = Regions.upper_bound(Address);
      uint64_t Here = It == Regions.end() ? Size : std::min(Size, It->first - Address);
      RegionMap::value_type *R = nullptr;
      if (It != Regions.begin() && Address - std::prev(It)->first < std::prev(It)->second.Bytes) {
        LastRegion = R = &*std::prev(It);
        Here = std::min(Here, R->second.Bytes - (Address - R->first));
      }
      Visit(R, Address, Here);
      Address += Here;
      Size -= Here;
    }
  }

  void accessRest(ThreadState &T, uint64_t Address, uint64_t Size, AccessKind Kind, Note N) {
    Rest.visit(Address, Size, [&](CellLocation &L, uint64_t At, uint64_t Bytes) {
      auto OnRace = [&](Epoch First, Note FirstNote, AccessKind FirstKind) {
        reportRun(At, Bytes, First, FirstNote, FirstKind, T.now(), N, Kind);
      };
      switch (Kind) {
      case AccessKind::Read:
        return RestHandlers::read(T, L, N, OnRace);
      case AccessKind::Write:
        return RestHandlers::write(T, L, N, OnRace);
      case AccessKind::AtomicRead:
        return RestHandlers::atomicRead(T, L, N, OnRace);
      case AccessKind::AtomicWrite:
        return RestHandlers::atomicWrite(T, L, N, OnRace);
      }
    });
  }

  void accessArray(ThreadState &T, RegionMap::value_type &R, uint64_t Address, uint64_t Size,
                   AccessKind Kind, Note Site) {
    ArrayShadow &A = shadowFor(R, Address - R.first, Size);
    uint64_t First = (Address - R.first) / A.grain();
    uint64_t Last = First + Size / A.grain() - 1;
    if (A.commitsAtOnce())
      return commit(T, A, StridedRange::run(First, Last), Kind, Site);

    // [SS ACCESS]
    ArrayShadow::Footprints &F = A.footprints(T.id());
    StridedRange &Mine = Kind == AccessKind::Write ? F.Write : F.Read;
    if (Mine.contains(First) && Mine.contains(Last) && (First == Last || Mine.Step == 1))
      return;
    bool WasEmpty = F.isEmpty();
    if (!Mine.extend(First, Last)) {
      commit(T, A, Mine, Kind, Logs.current(T.now()));
      Mine = StridedRange::empty();
      if (A.commitsAtOnce())
        return commit(T, A, StridedRange::run(First, Last), Kind, Site);
      Mine.extend(First, Last);
    }
    log(T, Kind == AccessKind::Write, Address, Size, Site);
    if (WasEmpty)
      buffer(T, A);
  }

  /// The shadow of R, at a grain that [Offset, Offset+Size) fits.
  ArrayShadow &shadowFor(RegionMap::value_type &R, uint64_t Offset, uint64_t Size) {
    std::unique_ptr<ArrayShadow> &A = R.second.Shadow;
    uint64_t Ends = Offset | Size | R.second.Bytes;
    uint64_t Grain = std::min(Ends & -Ends, A ? A->grain() : MaxGrain);
    if (!A) {
      A = std::make_unique<ArrayShadow>(R.first, R.second.Bytes, Grain);
      countCells(A->cells());
    } else if (Grain < A->grain()) {
      commitAllThreads(*A);
      Cells -= A->cells();
      A->refineGrain(A->grain() / Grain);
      countCells(A->cells());
    }
    return *A;
  }

  void buffer(ThreadState &T, ArrayShadow &A) {
    if (T.id() >= Buffers.size())
      Buffers.resize(size_t(T.id()) + 1);
    Buffers[T.id()].push_back(&A);
    if (Buffers[T.id()].size() < BufferSize)
      return;
    ++BufferFlushes;
    commitThread(T.id());
  }

  void forgetBuffered(const ArrayShadow *A) {
    for (auto &Buffer : Buffers)
      Buffer.erase(std::remove(Buffer.begin(), Buffer.end(), A), Buffer.end());
  }

  void commitAllThreads(ArrayShadow &A) {
    for (uint32_t Thread = 0; Thread < A.threads(); ++Thread)
      if (!A.footprints(Thread).isEmpty())
        commitFootprints(Order.thread(Thread), A);
  }

  void commitFootprints(ThreadState &T, ArrayShadow &A) {
    ArrayShadow::Footprints F = A.footprints(T.id());
    A.footprints(T.id()) = {};
    if (!F.Write.isEmpty())
      commit(T, A, F.Write, AccessKind::Write, Logs.current(T.now()));
    if (!F.Read.isEmpty())
      commit(T, A, F.Read, AccessKind::Read, Logs.current(T.now()));
  }

  /// [SS REFINE], then [SS COMMIT] for every part.
  void commit(ThreadState &T, ArrayShadow &A, const StridedRange &F, AccessKind Kind, Note N) {
    Cells -= A.cells();
    ++Rows[A.refineFor(F)];
    countCells(A.cells());
    A.partition().forEachCell(F, [&](uint64_t C) {
      auto OnRace = [&](Epoch First, Note FirstNote, AccessKind FirstKind) {
        StridedRange Part = A.partition().part(C);
        uint64_t Run = Part.Step == 1 ? Part.size() : 1;
        for (uint64_t I = Part.Begin; I <= Part.End; I += Part.Step * Run)
          reportRun(A.addressOf(I), Run * A.grain(), First, FirstNote, FirstKind, T.now(), N, Kind);
      };
      if (Kind == AccessKind::Write)
        VerifiedFTOwned::write(T, A.cell(C), N, OnRace);
      else
        VerifiedFTOwned::read(T, A.cell(C), N, OnRace);
    });
  }

  /// Moves an array to Rest, a location per element.
  void expel(RegionMap::value_type &R) {
    std::unique_ptr<ArrayShadow> &A = R.second.Shadow;
    if (R.second.ExpelledElements)
      return;
    if (!A) {
      R.second.ExpelledElements = 1; // untouched: Rest takes it at whatever grain comes
      countCells(1);
      return;
    }
    commitAllThreads(*A);
    forgetBuffered(A.get());
    for (uint64_t I = 0; I < A->elements(); ++I) {
      const Cell &Old = A->cell(A->partition().cellOf(I));
      if (Old.isUntouched())
        continue;
      Rest.visit(A->addressOf(I), A->grain(), [&](CellLocation &L, uint64_t, uint64_t) {
        L.X.assertOwned();
        Old.assertOwned();
        L.X.copyFrom(Old);
      });
    }
    R.second.ExpelledElements = A->elements();
    Cells -= A->cells();
    countCells(A->elements());
    A.reset();
  }

  void countCells(uint64_t N) {
    Cells += N;
    PeakCells = std::max(PeakCells, Cells);
  }

  void sweepLogs() {
    if (!Logs.wantsSweep(Cells))
      return;
    for (auto &[Base, R] : Regions)
      for (uint64_t C = 0; R.Shadow && C < R.Shadow->cells(); ++C)
        Logs.mark(R.Shadow->cell(C));
    Rest.forEach([&](const CellLocation &L, uint64_t) { Logs.mark(L.X); });
    Logs.sweep();
  }

  RegionMap Regions;
  RegionMap::value_type *LastRegion = nullptr; // the one found last
  FineShadow<CellLocation> Rest;
  std::vector<std::vector<ArrayShadow *>> Buffers; // by thread
  uint64_t Rows[refine::NumRows] = {};
  uint64_t BufferFlushes = 0;
  uint64_t Cells = 0, PeakCells = 0;
};

} // namespace

std::unique_ptr<Detector> photofinish::createSlimState(RaceSink &Sink) {
  return std::make_unique<SlimState>(Sink);
}
