//===- slimstate_bits.cpp - SlimState with any partition over a trace ----------===//
//
// The live runtime's shadow, driven from a trace: what threads have touched (shadow/footprint.h) is
// committed to pages of classes (shadow/class_page.h) when they synchronize. All of memory, not
// only arrays, is compressed.
//
// Tests also run it with pages and tables so small that every transition happens often.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/compressed_detector.h"
#include "detector/offline/create.h"
#include "shadow/class_page.h"
#include "shadow/footprint.h"
#include "shadow/page_table.h"

#include <cmath>
#include <map>

using namespace photofinish;

namespace {

/// Where an access comes from: in a trace, its site.
struct SitePlace {
  SiteId Site;

  bool operator==(const SitePlace &) const = default;
  uint64_t hash() const { return Site; }
};

template <class Page, unsigned Entries, unsigned MaxRuns>
class SlimStateBits final : public CompressedDetector {
public:
  using CompressedDetector::CompressedDetector;

  ~SlimStateBits() override {
    Pages.forEach([&](uint64_t, Page &P) { remove(&P); });
  }

  std::vector<RuleCount> ruleCounts() const override {
    std::vector<RuleCount> Rules = Order.ruleCounts();
    for (auto [Name, Count] : {std::pair{"Commit", Known.Count.Commits},
                               {"Split", Known.Count.Splits},
                               {"Merge", Known.Count.Merges},
                               {"Transition", Known.Count.Transitions},
                               {"Transition Shared", Known.Count.Shared},
                               {"Transition In Place", Known.Count.InPlace},
                               {"Granule To Fine", Known.Count.ToFine},
                               {"Granule To Class", Known.Count.ToClasses}})
      Rules.push_back({Name, Count, RuleKind::State});
    return Rules;
  }

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    double Cells = 0;
    // An allocation counts whole as soon as it is touched, like the paper's arrays; other
    // memory counts where it is touched.
    std::map<uint64_t, uint32_t> TouchedAllocations; // base -> grain
    Pages.forEach([&](uint64_t Number, const Page &P) {
      Cells += P.numCells();
      uint64_t Bytes = 0;
      for (uint64_t Line = 0; Line < Page::PageBytes / LineBytes; ++Line) {
        ByteMask Touched = P.touched(unsigned(Line));
        uint64_t Start = Number * Page::PageBytes + Line * LineBytes;
        for (auto It = firstAllocation(Start);
             It != Allocations.end() && It->first < Start + LineBytes; ++It) {
          uint64_t From = std::max(It->first, Start) - Start;
          uint64_t To = std::min(It->first + It->second, Start + LineBytes) - Start;
          ByteMask Here = bytesOf(unsigned(From), unsigned(To - From));
          if (Touched & Here)
            TouchedAllocations.try_emplace(It->first, P.grain());
          Touched &= ~Here;
        }
        Bytes += uint64_t(std::popcount(Touched));
      }
      Size.Elements += Bytes / P.grain();
    });
    for (auto [Base, Grain] : TouchedAllocations)
      Size.Elements += Allocations.find(Base)->second / Grain;
    Size.Cells = uint64_t(std::ceil(Cells));
    Size.PeakCells = std::max(PeakCells, Size.Cells);
    return Size;
  }

private:
  struct Pending {
    Footprints<PageFootprint<Page::PageBytes / LineBytes>, Entries, ~uint64_t(0)> Touched;
    Runs<SitePlace, MaxRuns> Accesses;
    Epoch At; // when Touched was
  };

  Page &pageFor(uint64_t Number) {
    if (Page *P = Pages.find(Number))
      return *P;
    auto *P = new Page();
    Pages.insert(Number, P);
    return *P;
  }
  void remove(Page *P) {
    P->clear(Known);
    delete P;
  }
  void changed(const Page &P) {
    assert(P.verify());
    PeakCells = std::max(PeakCells, Known.Count.Made - Known.Count.Gone);
  }

  Pending &pendingOf(ThreadId Thread) {
    if (Thread >= PendingOf.size())
      PendingOf.resize(size_t(Thread) + 1);
    if (!PendingOf[Thread])
      PendingOf[Thread] = std::make_unique<Pending>();
    return *PendingOf[Thread];
  }

  // [SS ACCESS]
  void access(const Operation &Op) override {
    Pending &P = pendingOf(Op.Thread);
    ThreadState &T = Order.thread(Op.Thread);
    if (P.At != T.now()) {
      P.Touched.clear();
      P.At = T.now();
    }
    bool IsWrite = isWriteAccess(Op.Kind);
    auto OnNew = [&](const Elements &E) {
      if (P.Accesses.isFull())
        commitThread(Op.Thread);
      P.Accesses.add(E, IsWrite, {Op.Site});
    };
    P.Touched.add(Op.Target, Op.Size, IsWrite, OnNew, [&] { commitThread(Op.Thread); });
  }

  void atomicAccess(const Operation &Op) override {
    AccessKind Kind = accessKind(Op.Kind);
    for (uint64_t At = Op.Target, End = At + Op.Size; At < End;) {
      uint64_t InGranule = At % Granule::Bytes;
      uint64_t Here = std::min(End - At, Granule::Bytes - InGranule);
      Page &P = pageFor(At / Page::PageBytes);
      P.accessAtomically(
          Order.thread(Op.Thread), At % Page::PageBytes, Granule::maskOf(InGranule, Here), Kind,
          [&] { return Op.Site; }, Known,
          [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
            forEachRun(Raced, [&](unsigned Start, unsigned Count) {
              Sink.report(
                  {At - InGranule + Start,
                   Count,
                   {First.thread(), SiteId(FirstNote), isWrite(FirstKind), isAtomic(FirstKind)},
                   {Op.Thread, Op.Site, isWrite(Kind), isAtomic(Kind)},
                   Index});
            });
          });
      changed(P);
      At += Here;
    }
  }

  void commitThread(ThreadId Thread) override {
    if (Thread >= PendingOf.size() || !PendingOf[Thread])
      return;
    ThreadState &T = Order.thread(Thread);
    PendingOf[Thread]->Accesses.forEach([&](const auto &R) {
      R.E.template forEachPage<Page::PageBytes>([&](uint64_t Number, const Elements &E) {
        Page &P = pageFor(Number);
        P.access(T, E, R.IsWrite, R.P.Site, Known,
                 [&](uint64_t Offset, uint64_t Bytes, Epoch First, Note FirstNote,
                     AccessKind FirstKind) {
                   Sink.report({Number * Page::PageBytes + Offset,
                                Bytes,
                                {First.thread(), SiteId(FirstNote), isWrite(FirstKind),
                                 isAtomic(FirstKind)},
                                {T.id(), R.P.Site, R.IsWrite, false},
                                Index});
                 });
        changed(P);
      });
    });
    PendingOf[Thread]->Accesses.clear();
    // The next commit may be another thread's, or at another clock.
    Known.forgetTransitions();
  }

  void commitRange(uint64_t Address, uint64_t Size) override {
    for (ThreadId Thread = 0; Thread < PendingOf.size(); ++Thread)
      if (PendingOf[Thread] && PendingOf[Thread]->Touched.touches(Address, Size)) {
        commitThread(Thread);
        PendingOf[Thread]->Touched.forget(Address, Size);
      }
  }

  /// The first allocation that ends after Address.
  std::map<uint64_t, uint64_t>::const_iterator firstAllocation(uint64_t Address) const {
    auto It = Allocations.upper_bound(Address);
    if (It != Allocations.begin() && std::prev(It)->first + std::prev(It)->second > Address)
      --It;
    return It;
  }

  void resetRange(uint64_t Address, uint64_t Size) override {
    // Allocations that the new one overlaps are dead: only their freed memory was left.
    for (auto It = firstAllocation(Address); It != Allocations.end() && It->first < Address + Size;)
      It = Allocations.erase(It);
    Allocations[Address] = Size;
    while (Size) {
      uint64_t Offset = Address % Page::PageBytes;
      uint64_t Here = std::min(Size, Page::PageBytes - Offset);
      if (Page *P = Pages.find(Address / Page::PageBytes)) {
        if (Here == Page::PageBytes) {
          remove(Pages.remove(Address / Page::PageBytes));
        } else {
          P->reset(Offset, Here, Known);
          changed(*P);
        }
      }
      Address += Here;
      Size -= Here;
    }
  }

  PageTable<Page> Pages;
  std::vector<std::unique_ptr<Pending>> PendingOf; // by thread
  std::map<uint64_t, uint64_t> Allocations;        // base -> bytes
  Histories Known;
  uint64_t PeakCells = 0;
};

} // namespace

std::unique_ptr<Detector> photofinish::createSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits<ClassPage<64>, 16, 512>>(Sink);
}
std::unique_ptr<Detector> photofinish::createSmallSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits<ClassPage<4, 2>, 2, 3>>(Sink);
}
