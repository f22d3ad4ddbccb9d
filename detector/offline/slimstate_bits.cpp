//===- slimstate_bits.cpp - SlimState with bit sets over a trace --------------===//
//
// All of memory, not only arrays, is cut into pages of classes (shadow/classes.h).
// A thread's footprint of a page is a bit set of what it read and one of what it
// wrote; commits happen when the thread synchronizes.
//
// When a thread commits many pages at once, the same old cell turns into the same new
// cell again and again: a transition is computed once per commit and shared, which is
// also what makes the pages of one sweep share one cell.
//
// Bytes that atomics touch have, beside their class, a history of atomic accesses;
// plain accesses are compared with it one location at a time.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/compressed_detector.h"
#include "detector/offline/create.h"
#include "detector/verifiedft.h"
#include "shadow/classes.h"

#include <algorithm>
#include <map>

using namespace photofinish;

namespace {

class SlimStateBits final : public CompressedDetector {
public:
  using CompressedDetector::CompressedDetector;

  ~SlimStateBits() override {
    Pages.forEach([](uint64_t, Page &P) { delete &P; });
  }

  std::vector<RuleCount> ruleCounts() const override {
    std::vector<RuleCount> Rules = Order.ruleCounts();
    Rules.push_back({"Commit", Counts.Commits, RuleKind::State});
    Rules.push_back({"Split", Counts.Splits, RuleKind::State});
    Rules.push_back({"Merge", Counts.Merges, RuleKind::State});
    Rules.push_back({"Transition Shared", SharedTransitions, RuleKind::State});
    Rules.push_back({"Page To Fine", Counts.ToFine, RuleKind::State});
    Rules.push_back({"Page To List", Counts.ToList, RuleKind::State});
    return Rules;
  }

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    Size.Cells = AliveCells;
    Size.PeakCells = PeakCells;
    // An allocation counts whole as soon as it is touched, like the paper's arrays; other
    // memory counts where it is touched.
    std::map<uint64_t, uint32_t> TouchedAllocations; // base -> grain
    Pages.forEach([&](uint64_t Number, const Page &P) {
      if (P.Plain.isUntouched())
        return;
      uint64_t Start = Number * PageBytes;
      uint32_t Grain = P.Plain.grain();
      uint32_t Touched = P.Plain.countTouched(0, PageBytes / Grain - 1);
      for (auto It = firstAllocation(Start);
           It != Allocations.end() && It->first < Start + PageBytes; ++It) {
        uint64_t From = std::max(It->first, Start) - Start;
        uint64_t To = std::min(It->first + It->second, Start + PageBytes) - Start;
        uint32_t Here = P.Plain.countTouched(uint32_t(From) / Grain, uint32_t(To - 1) / Grain);
        Touched -= Here;
        if (Here)
          TouchedAllocations.try_emplace(It->first, Grain);
      }
      Size.Elements += Touched;
    });
    for (auto [Base, Grain] : TouchedAllocations)
      Size.Elements += Allocations.find(Base)->second / Grain;
    return Size;
  }

private:
  static constexpr uint32_t PageBytes = 4096;

  struct AtomicLocation {
    AtomicHistory History;
    void copyFrom(const AtomicLocation &Other) { History.copyFrom(Other.History); }
    void reset() {
      History.Reads.clear();
      History.Writes.clear();
    }
  };
  struct Page {
    ClassPage<PageBytes> Plain;
    bool HasAtomics = false; // some byte has a history in Atomics
  };
  using FootprintMap = llvm::DenseMap<uint64_t, std::unique_ptr<PageFootprint>>; // by page
  struct Pending {
    Pending() = default;
    Pending(Pending &&) noexcept = default;

    FootprintMap ByPage;
    uint64_t LastPage = 0; // of Last
    PageFootprint *Last = nullptr;
  };
  /// Old cell -> new cell, while one thread commits.
  using Transitions = llvm::DenseMap<const void *, std::pair<CellRef, CellRef>>;

  Page &pageFor(uint64_t Number) {
    if (Page *P = Pages.find(Number))
      return *P;
    auto *P = new Page();
    Pages.insert(Number, P);
    return *P;
  }

  /// Calls Visit(page number, offset, bytes) for the pages of a range.
  template <class Fn> static void forEachPage(uint64_t Address, uint64_t Size, Fn &&Visit) {
    while (Size) {
      uint32_t Offset = Address % PageBytes;
      uint64_t Here = std::min<uint64_t>(Size, PageBytes - Offset);
      Visit(Address / PageBytes, Offset, uint32_t(Here));
      Address += Here;
      Size -= Here;
    }
  }

  // [SS ACCESS]
  void access(const Operation &Op) override {
    ThreadState &T = Order.thread(Op.Thread);
    bool IsWrite = isWriteAccess(Op.Kind);
    forEachPage(Op.Target, Op.Size, [&](uint64_t Number, uint32_t Offset, uint32_t Bytes) {
      PageFootprint &F = footprintFor(Op.Thread, Number);
      uint32_t Ends = Offset | (Offset + Bytes);
      if (uint32_t Needed = Ends & -Ends; Needed < F.Grain)
        F.refineTo(Needed);
      BitSet &Set = IsWrite ? F.Written : F.Read;
      if (Set.setRun(Offset / F.Grain, (Offset + Bytes - 1) / F.Grain))
        log(T, IsWrite, Number * PageBytes + Offset, Bytes, Op.Site);
    });
    restartFullLog(T);
  }

  PageFootprint &footprintFor(ThreadId Thread, uint64_t Number) {
    if (Thread >= PendingOf.size())
      PendingOf.resize(size_t(Thread) + 1);
    Pending &P = PendingOf[Thread];
    if (P.Last && P.LastPage == Number)
      return *P.Last;
    auto &F = P.ByPage[Number];
    if (!F)
      F = std::make_unique<PageFootprint>(PageBytes, ClassPage<PageBytes>::CoarsestGrain);
    P.LastPage = Number;
    P.Last = F.get();
    return *F;
  }

  void atomicAccess(const Operation &Op) override {
    ThreadState &T = Order.thread(Op.Thread);
    AccessKind Kind = accessKind(Op.Kind);
    forEachPage(Op.Target, Op.Size,
                [&](uint64_t Number, uint32_t, uint32_t) { pageFor(Number).HasAtomics = true; });
    Atomics.visit(Op.Target, Op.Size, [&](AtomicLocation &L, uint64_t Address, uint64_t Bytes) {
      // The location's plain history may differ from byte to byte.
      for (uint64_t At = Address; At < Address + Bytes; ++At) {
        auto OnRace = [&](Epoch First, Note N, AccessKind FirstKind) {
          reportRun(At, 1, First, N, FirstKind, T.now(), Op.Site, Kind);
        };
        static const Cell Untouched;
        CellRef X = plainCellAt(At);
        const Cell &Plain = X ? X.cell() : Untouched;
        Plain.assertOwned();
        if (Kind == AccessKind::AtomicWrite)
          rule::atomicWrite(T, Plain, L.History, Op.Site, OnRace);
        else
          rule::atomicRead(T, Plain, L.History, Op.Site, OnRace);
      }
    });
  }

  CellRef plainCellAt(uint64_t Address) {
    Page *P = Pages.find(Address / PageBytes);
    return P ? P->Plain.cellOf(Address % PageBytes / P->Plain.grain()) : CellRef();
  }

  void commitThread(ThreadId Thread) override {
    if (Thread >= PendingOf.size() || PendingOf[Thread].ByPage.empty())
      return;
    ThreadState &T = Order.thread(Thread);
    Transitions Writes, Reads;
    for (auto &[Number, F] : PendingOf[Thread].ByPage)
      commitPage(T, Number, *F, Writes, Reads);
    PendingOf[Thread].ByPage.clear();
    PendingOf[Thread].Last = nullptr;
    Logs[Logs.current(T.now())].beginSegment();
    sweepLogs();
  }

  void commitRange(uint64_t Address, uint64_t Size) override {
    for (ThreadId Thread = 0; Thread < PendingOf.size(); ++Thread) {
      Pending &P = PendingOf[Thread];
      if (P.ByPage.empty())
        continue;
      Transitions Writes, Reads;
      auto Commit = [&](FootprintMap::iterator It) {
        if (It == P.ByPage.end())
          return;
        commitPage(Order.thread(Thread), It->first, *It->second, Writes, Reads);
        P.ByPage.erase(It);
        P.Last = nullptr;
      };
      uint64_t First = Address / PageBytes, Last = (Address + (Size - 1)) / PageBytes;
      if (Last - First < P.ByPage.size()) { // whichever is less: the range or what is pending
        for (uint64_t Number = First; Number <= Last; ++Number)
          Commit(P.ByPage.find(Number));
      } else {
        for (auto It = P.ByPage.begin(); It != P.ByPage.end(); ++It) // erasing keeps iterators
          if (First <= It->first && It->first <= Last)
            Commit(It);
      }
    }
  }

  void resetRange(uint64_t Address, uint64_t Size) override {
    forEachPage(Address, Size, [&](uint64_t Number, uint32_t Offset, uint32_t Bytes) {
      Page *P = Pages.find(Number);
      if (!P)
        return;
      if (Bytes == PageBytes)
        delete Pages.remove(Number);
      else
        P->Plain.reset(Offset, Offset + Bytes - 1);
    });
    Atomics.reset(Address, Size);
    // Allocations that the new one overlaps are dead: only their freed memory was left.
    auto It = firstAllocation(Address);
    while (It != Allocations.end() && It->first < Address + Size)
      It = Allocations.erase(It);
    Allocations[Address] = Size;
  }

  void commitPage(ThreadState &T, uint64_t Number, PageFootprint &F, Transitions &Writes,
                  Transitions &Reads) {
    Page &P = pageFor(Number);
    Note N = Logs.current(T.now());
    if (P.HasAtomics)
      compareWithAtomics(T, Number, F, N);
    P.Plain.commit(F, Counts, [&](const CellRef &Old, AccessKind Kind, auto &&Runs) {
      Transitions &Known = Kind == AccessKind::Write ? Writes : Reads;
      if (auto It = Known.find(Old.identity()); It != Known.end()) {
        ++SharedTransitions;
        return It->second.second;
      }
      CellRef New = CellRef::copyOf(Old, AliveCells);
      PeakCells = std::max(PeakCells, AliveCells);
      bool Raced = false;
      auto OnRace = [&](Epoch First, Note FirstNote, AccessKind FirstKind) {
        Raced = true;
        Runs([&](uint32_t From, uint32_t To) {
          uint64_t Grain = P.Plain.grain();
          reportRun(Number * PageBytes + From * Grain, (To - From + 1) * Grain, First, FirstNote,
                    FirstKind, T.now(), N, Kind);
        });
      };
      if (Kind == AccessKind::Write)
        VerifiedFTOwned::write(T, New.fresh(), N, OnRace);
      else
        VerifiedFTOwned::read(T, New.fresh(), N, OnRace);
      if (!Raced) // a race is reported for every set of locations that has it
        Known[Old.identity()] = {Old, New};
      return New;
    });
    assert(P.Plain.verify());
  }

  /// Plain accesses against atomic ones, location by location.
  void compareWithAtomics(ThreadState &T, uint64_t Number, const PageFootprint &F, Note N) {
    auto Compare = [&](const BitSet &Set, AccessKind Kind) {
      Set.forEachRun([&](uint32_t From, uint32_t To) {
        Atomics.visit(Number * PageBytes + uint64_t(From) * F.Grain,
                      uint64_t(To - From + 1) * F.Grain,
                      [&](AtomicLocation &L, uint64_t At, uint64_t Bytes) {
                        auto OnRace = [&](Epoch First, Note FirstNote, AccessKind FirstKind) {
                          reportRun(At, Bytes, First, FirstNote, FirstKind, T.now(), N, Kind);
                        };
                        if (Kind == AccessKind::Write)
                          rule::atomicWriteRace(T, L.History, OnRace);
                        else
                          rule::atomicReadRace(T, L.History, OnRace);
                      });
      });
    };
    Compare(F.Written, AccessKind::Write);
    Compare(F.Read, AccessKind::Read);
  }

  /// The first allocation that ends after Address.
  std::map<uint64_t, uint64_t>::const_iterator firstAllocation(uint64_t Address) const {
    auto It = Allocations.upper_bound(Address);
    if (It != Allocations.begin() && std::prev(It)->first + std::prev(It)->second > Address)
      --It;
    return It;
  }

  void sweepLogs() {
    if (!Logs.wantsSweep(AliveCells))
      return;
    Pages.forEach(
        [&](uint64_t, Page &P) { P.Plain.forEachCell([&](const Cell &X) { Logs.mark(X); }); });
    Logs.sweep();
  }

  uint64_t AliveCells = 0; // before Pages and Transitions, whose cells count themselves here
  uint64_t PeakCells = 0;
  PageTable<Page> Pages;
  FineShadow<AtomicLocation> Atomics;
  std::vector<Pending> PendingOf;           // by thread
  std::map<uint64_t, uint64_t> Allocations; // base -> bytes
  CommitCounts Counts;
  uint64_t SharedTransitions = 0;
};

} // namespace

std::unique_ptr<Detector> photofinish::createSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits>(Sink);
}
