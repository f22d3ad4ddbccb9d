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
#include "detector/offline/stampers.h"
#include "shadow/class_page.h"
#include "shadow/footprint.h"
#include "shadow/page_table.h"

#include <map>

using namespace photofinish;

namespace {

/// Where an access comes from: in a trace, its site.
struct SitePlace {
  SiteId Site;

  bool operator==(const SitePlace &) const = default;
  uint64_t hash() const { return Site; }
};

/// Classes, or granules where there would be too many.
template <class Classes> struct ShadowPage {
  static constexpr uint64_t PageBytes = Classes::PageBytes;
  static constexpr unsigned NumGranules = Classes::NumGranules;
  using Set = typename Classes::Set;

  Classes C;
  std::unique_ptr<Granule[]> Granules;

  template <class Fn>
  void access(const Committer &Who, const Elements &E, bool IsWrite, Stamp S, bool UsesAvx2,
              Fn &&OnRace) {
    if (!Granules)
      return C.access(Who, E, IsWrite, S, UsesAvx2, OnRace);
    forEachGroup<NumGranules>(E, [&](uint8_t Mask, const Set &Some) {
      accessGranules(Who, Mask, Some, IsWrite, S, OnRace);
    });
    if (E.isRange() && E.span() == PageBytes)
      rejoin(Who.By.all());
  }
  template <class Fn>
  void access(const Committer &Who, const Set &Some, bool IsWrite, Stamp S, bool UsesAvx2,
              Fn &&OnRace) {
    if (!Granules)
      return C.access(Who, Some, IsWrite, S, UsesAvx2, OnRace);
    accessGranules(Who, 0xff, Some, IsWrite, S, OnRace);
  }
  /// A write of a range, granule by granule, until one has a race, which is left as it was: false.
  bool accessUntilRace(const Committer &Who, const Elements &Range, Stamp S) {
    bool IsDone = true;
    FinePage::forEachGranule(Range.First, Range.span(), [&](uint64_t At, uint8_t Mask) {
      Granule &G = Granules[At / Granule::Bytes];
      uint64_t New = Granule::accessed(
          G.load(), Who.T, Who.By, Mask, AccessKind::Write, [&] { return S; },
          [&](uint8_t, Epoch, Stamp, AccessKind) { IsDone = false; });
      if (IsDone)
        G.store(New);
    });
    return IsDone;
  }
  template <class StampFn, class Fn>
  void accessAtomically(const Committer &Who, uint64_t Offset, uint8_t Mask, AccessKind Kind,
                        StampFn &&MakeStamp, Fn &&OnRace) {
    if (!Granules)
      return C.accessAtomically(Who, Offset, Mask, Kind, MakeStamp, OnRace);
    checkGranule(Who.T, Who.By, Granules[Offset / Granule::Bytes], Mask, Kind, MakeStamp, OnRace);
  }
  void reset(uint64_t First, uint64_t Count, Stamper &By) {
    if (!Granules)
      return C.reset(First, Count, By);
    forEachGroup<NumGranules>(Elements::range(First, Count), [&](uint8_t Mask, const Set &Some) {
      Some.forEach([&](unsigned Number) {
        Granule &G = Granules[Number];
        G.store(Granule::forgotten(G.load(), By, Mask));
      });
    });
  }
  /// After a change: to granules, if there are too many classes.
  void settle([[maybe_unused]] const Stamps &All) {
    assert(C.verify(All));
    if (!C.isIrregular())
      return;
    Granules = std::make_unique<Granule[]>(NumGranules);
    C.moveTo([&](unsigned Number) -> Granule & { return Granules[Number]; });
  }
  void keep(Stamps::Collection &Collection, const Stamps &All) {
    C.keep(Collection, All);
    for (unsigned G = 0; Granules && G < NumGranules; ++G)
      Granules[G].store(Granule::kept(Granules[G].load(), Collection, All));
  }

  uint64_t numCells(const Stamps &All) const {
    uint64_t Cells = C.numCells(All);
    for (unsigned G = 0; Granules && G < NumGranules; ++G)
      Granules[G].forEach(All, [&](uint8_t) { ++Cells; });
    return Cells;
  }
  uint32_t grain(const Stamps &All) const {
    bool IsWhole = C.grain(All) == Granule::Bytes;
    for (unsigned G = 0; Granules && G < NumGranules; ++G)
      Granules[G].forEach(All, [&](uint8_t Mask) { IsWhole &= Mask == 0xff; });
    return IsWhole ? Granule::Bytes : 1;
  }
  ByteMask touched(unsigned Line, const Stamps &All) const {
    ByteMask Touched = C.touched(Line, All);
    for (unsigned I = 0; Granules && I < LineGranules; ++I)
      Touched |= ByteMask(Granules[Line * LineGranules + I].touched(All)) << I * Granule::Bytes;
    return Touched;
  }

private:
  template <class Fn>
  void accessGranules(const Committer &Who, uint8_t Mask, const Set &Some, bool IsWrite, Stamp S,
                      Fn &OnRace) {
    AlikeGranules Alike;
    AccessKind Kind = IsWrite ? AccessKind::Write : AccessKind::Read;
    Some.forEach([&](unsigned Number) {
      Granule &G = Granules[Number];
      G.store(Alike.next(G.load(), Mask, [&](bool &HasRaced) {
        return Granule::accessed(
            G.load(), Who.T, Who.By, Mask, Kind, [&] { return S; },
            [&](uint8_t Raced, Epoch First, Stamp FirstStamp, AccessKind FirstKind) {
              HasRaced = true;
              forEachRun(Raced, [&](unsigned Byte, unsigned Count) {
                OnRace(Number * Granule::Bytes + Byte, uint64_t(Count), First, FirstStamp,
                       FirstKind);
              });
            });
      }));
    });
  }
  /// Back to a class, if one is enough.
  void rejoin(const Stamps &All) {
    for (unsigned G = 0; G < NumGranules; ++G)
      if (!Granule::areAlike(Granules[G].load(), Granules[0].load(), All))
        return;
    C.startWith(Granules[0].load());
    Granules.reset();
  }
};

template <class Classes, unsigned Entries, unsigned MaxRuns>
class SlimStateBits final : public CompressedDetector {
  using Page = ShadowPage<Classes>;

public:
  /// CollectsAlways is for tests, and so is leaving instructions aside that the machine has.
  explicit SlimStateBits(RaceSink &Sink, bool CollectsAlways = false)
      : CompressedDetector(Sink), By(All), UsesAvx2(!CollectsAlways && hasAvx2()) {
    if (CollectsAlways)
      All.collectAlways();
  }
  ~SlimStateBits() override {
    Pages.forEach([&](uint64_t, Page &P) { remove(&P); });
  }

  std::vector<RuleCount> ruleCounts() const override {
    std::vector<RuleCount> Rules = Order.ruleCounts();
    for (auto [Name, Number] : {std::pair{"Commit", Count.Commits},
                                {"Split", Count.Splits},
                                {"Merge", Count.Merges},
                                {"Transition", Count.Transitions},
                                {"Page To Granules", ToGranules},
                                {"Page To Classes", ToClasses},
                                {"Collection", All.numCollections()}})
      Rules.push_back({Name, Number, RuleKind::State});
    return Rules;
  }

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    // An allocation counts whole as soon as it is touched, like the paper's arrays; other
    // memory counts where it is touched.
    std::map<uint64_t, uint32_t> TouchedAllocations; // base -> grain
    Pages.forEach([&](uint64_t Number, const Page &P) {
      Size.Cells += P.numCells(All);
      uint64_t Bytes = 0;
      for (uint64_t Line = 0; Line < Page::PageBytes / LineBytes; ++Line) {
        ByteMask Touched = P.touched(unsigned(Line), All);
        uint64_t Start = Number * Page::PageBytes + Line * LineBytes;
        for (auto It = firstAllocation(Start);
             It != Allocations.end() && It->first < Start + LineBytes; ++It) {
          uint64_t From = std::max(It->first, Start) - Start;
          uint64_t To = std::min(It->first + It->second, Start + LineBytes) - Start;
          ByteMask Here = bytesOf(unsigned(From), unsigned(To - From));
          if (Touched & Here)
            TouchedAllocations.try_emplace(It->first, P.grain(All));
          Touched &= ~Here;
        }
        Bytes += uint64_t(std::popcount(Touched));
      }
      Size.Elements += Bytes / P.grain(All);
    });
    for (auto [Base, Grain] : TouchedAllocations)
      Size.Elements += Allocations.find(Base)->second / Grain;
    Size.PeakCells = std::max(PeakCells, Size.Cells);
    return Size;
  }

private:
  using Footprint = PageFootprint<Page::PageBytes / LineBytes>;
  struct Pending {
    Footprints<Footprint, Entries, ~uint64_t(0)> Touched;
    PendingAccesses<Footprint, SitePlace, MaxRuns, MaxRuns, MaxRuns> Accesses;
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
    Cells -= P->numCells(All);
    delete P;
  }
  /// Change() changes the page.
  template <class Fn> void change(Page &P, Fn &&Change) {
    Cells -= P.numCells(All);
    bool HadGranules = bool(P.Granules);
    Change();
    P.settle(All);
    ToGranules += !HadGranules && P.Granules;
    ToClasses += HadGranules && !P.Granules;
    Cells += P.numCells(All);
    PeakCells = std::max(PeakCells, Cells);
  }
  Committer committer(ThreadId Thread) { return {Order.thread(Thread), By[Thread], Count}; }
  Stamp stampOf(ThreadId Thread, SiteId Site) {
    return By[Thread].stampFor(Order.thread(Thread).now(), Site);
  }

  Pending &pendingOf(ThreadId Thread) {
    if (Thread >= PendingOf.size())
      PendingOf.resize(size_t(Thread) + 1);
    if (!PendingOf[Thread])
      PendingOf[Thread] = std::make_unique<Pending>();
    return *PendingOf[Thread];
  }

  /// As singles where there are granules.
  void note(Pending &P, Footprint &F, const Elements &E, bool IsWrite, SitePlace Site) {
    if (E.isRange() && hasGranules(F.Number))
      P.Accesses.addSingle(F, E.First, uint32_t(E.span()), IsWrite, Site);
    else
      P.Accesses.add(F, E, IsWrite, Site);
  }
  void note(Pending &P, Footprint &F, const typename Page::Set &Some, bool IsWrite,
            SitePlace Site) {
    P.Accesses.add(F, Some, IsWrite, Site);
  }
  bool hasGranules(uint64_t Number) {
    Page *P = Pages.find(Number);
    return P && P->Granules;
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
    auto OnNew = [&](Footprint &F, const auto &E) {
      if (P.Accesses.isFull())
        commitThread(Op.Thread);
      note(P, F, E, IsWrite, {Op.Site});
    };
    P.Touched.add(Op.Target, Op.Size, IsWrite, OnNew, [&](Footprint &Gone) {
      if (P.Accesses.isPending(Gone))
        commitThread(Op.Thread);
    });
  }

  void atomicAccess(const Operation &Op) override {
    AccessKind Kind = accessKind(Op.Kind);
    for (uint64_t At = Op.Target, End = At + Op.Size; At < End;) {
      uint64_t InGranule = At % Granule::Bytes;
      uint64_t Here = std::min(End - At, Granule::Bytes - InGranule);
      Page &P = pageFor(At / Page::PageBytes);
      auto OnRace = [&](uint8_t Raced, Epoch First, Stamp S, AccessKind FirstKind) {
        forEachRun(Raced, [&](unsigned Start, unsigned Bytes) {
          Sink.report(
              {At - InGranule + Start,
               Bytes,
               {First.thread(), SiteId(All.noteOf(S)), isWrite(FirstKind), isAtomic(FirstKind)},
               {Op.Thread, Op.Site, isWrite(Kind), isAtomic(Kind)},
               Index});
        });
      };
      change(P, [&] {
        P.accessAtomically(
            committer(Op.Thread), At % Page::PageBytes, Granule::maskOf(InGranule, Here), Kind,
            [&] { return stampOf(Op.Thread, Op.Site); }, OnRace);
      });
      At += Here;
    }
  }

  void commitThread(ThreadId Thread) override {
    if (Thread >= PendingOf.size() || !PendingOf[Thread])
      return;
    auto Commit = [&](uint64_t Number, const auto &Some, bool IsWrite, SiteId Site) {
      auto OnRace = [&](uint64_t Offset, uint64_t Bytes, Epoch First, Stamp S,
                        AccessKind FirstKind) {
        Sink.report(
            {Number * Page::PageBytes + Offset,
             Bytes,
             {First.thread(), SiteId(All.noteOf(S)), isWrite(FirstKind), isAtomic(FirstKind)},
             {Thread, Site, IsWrite, false},
             Index});
      };
      Page &P = pageFor(Number);
      change(P, [&] {
        P.access(committer(Thread), Some, IsWrite, stampOf(Thread, Site), UsesAvx2, OnRace);
      });
    };
    PendingOf[Thread]->Accesses.forEach(
        [&](const auto &R) {
          R.E.template forEachPage<Page::PageBytes>(
              [&](uint64_t Number, const Elements &E) { Commit(Number, E, R.IsWrite, R.P.Site); });
        },
        [&](const auto &Some) { Commit(Some.Number, Some.All, Some.IsWrite, Some.P.Site); });
    PendingOf[Thread]->Accesses.forEachSingle(
        PendingOf[Thread]->Touched,
        [&](uint64_t Address, uint32_t Bytes, bool IsWrite, SitePlace P) {
          Commit(Address / Page::PageBytes, Elements::range(Address % Page::PageBytes, Bytes),
                 IsWrite, P.Site);
        },
        [](uint64_t) {});
    PendingOf[Thread]->Accesses.clear();
    if (All.wantsCollection())
      By.collect([&](Stamps::Collection &C) {
        Pages.forEach([&](uint64_t, Page &P) { P.keep(C, All); });
      });
  }

  bool freeShortly(const Operation &Op) override {
    uint64_t Number = Op.Target / Page::PageBytes, Offset = Op.Target % Page::PageBytes;
    if (!hasGranules(Number) || Op.Size > Page::PageBytes - Offset)
      return false;
    for (ThreadId Thread = 0; Thread < PendingOf.size(); ++Thread)
      if (Thread != Op.Thread && PendingOf[Thread] &&
          PendingOf[Thread]->Touched.touches(Op.Target, Op.Size))
        return false;
    Pending &Its = pendingOf(Op.Thread);
    Footprint *F = Its.Touched.find(Number);
    if (F && !Its.Accesses.canDrop(*F, unsigned(Offset), unsigned(Op.Size)))
      return false;
    bool IsDone = true;
    Page &P = *Pages.find(Number);
    change(P, [&] {
      IsDone = P.accessUntilRace(committer(Op.Thread), Elements::range(Offset, Op.Size),
                                 stampOf(Op.Thread, Op.Site));
    });
    if (IsDone && F)
      Its.Accesses.drop(*F, unsigned(Offset), unsigned(Op.Size));
    return IsDone;
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
          change(*P, [&] { P->reset(Offset, Here, By[0]); });
        }
      }
      Address += Here;
      Size -= Here;
    }
  }

  PageTable<Page> Pages;
  std::vector<std::unique_ptr<Pending>> PendingOf; // by thread
  std::map<uint64_t, uint64_t> Allocations;        // base -> bytes
  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By;
  const bool UsesAvx2;
  CommitCounts Count;
  uint64_t ToGranules = 0, ToClasses = 0;
  uint64_t Cells = 0, PeakCells = 0;
};

} // namespace

std::unique_ptr<Detector> photofinish::createSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits<ClassPage<64>, 16, 512>>(Sink);
}
std::unique_ptr<Detector> photofinish::createSmallSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits<ClassPage<4, 2>, 2, 3>>(Sink, true);
}
