//===- slimstate_bits.cpp - SlimState with any partition over a trace ----------===//
//
// The live runtime's shadow, driven from a trace: footprints (shadow/footprint.h) are committed to
// pages of classes (shadow/class_page.h) when their thread synchronizes. All of memory, not only
// arrays, is compressed.
//
// Tests also run it with pages and tables so small that every transition happens often.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/compressed_detector.h"
#include "detector/offline/create.h"
#include "shadow/class_page.h"
#include "shadow/page_table.h"

#include <map>

using namespace photofinish;

namespace {

template <class Page, unsigned Entries> class SlimStateBits final : public CompressedDetector {
public:
  using CompressedDetector::CompressedDetector;

  ~SlimStateBits() override {
    Pages.forEach([](uint64_t, Page &P) { delete &P; });
  }

  std::vector<RuleCount> ruleCounts() const override {
    std::vector<RuleCount> Rules = Order.ruleCounts();
    for (auto [Name, Count] : {std::pair{"Commit", Counts.Commits},
                               {"Split", Counts.Splits},
                               {"Merge", Counts.Merges},
                               {"Transition Shared", Counts.SharedTransitions},
                               {"Granule To Fine", Counts.ToFine},
                               {"Granule To Class", Counts.ToClasses}})
      Rules.push_back({Name, Count, RuleKind::State});
    return Rules;
  }

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    // An allocation counts whole as soon as it is touched, like the paper's arrays; other
    // memory counts where it is touched.
    std::map<uint64_t, uint32_t> TouchedAllocations; // base -> grain
    Pages.forEach([&](uint64_t Number, const Page &P) {
      Size.Cells += P.numCells();
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
    Size.PeakCells = std::max(PeakCells, Size.Cells);
    return Size;
  }

private:
  using Pending = Footprints<typename Page::Footprint, Entries, ~uint64_t(0)>;

  Page &pageFor(uint64_t Number) {
    if (Page *P = Pages.find(Number))
      return *P;
    auto *P = new Page();
    Pages.insert(Number, P);
    return *P;
  }

  /// Commits a thread's footprint of a page.
  auto committing(ThreadState &T, Transitions &Memo) {
    return [this, &T, &Memo](uint64_t Number, const typename Page::Footprint &F, const Window &W) {
      Page &P = pageFor(Number);
      Cells -= P.numCells();
      P.commit(T, F, W, Memo, Counts,
               [&](uint64_t Offset, uint64_t Bytes, Epoch First, Note FirstNote,
                   AccessKind FirstKind, Note SecondNote, AccessKind SecondKind) {
                 Sink.report({Number * Page::PageBytes + Offset,
                              Bytes,
                              {First.thread(), FirstNote, isWrite(FirstKind), isAtomic(FirstKind)},
                              {T.id(), SecondNote, isWrite(SecondKind), isAtomic(SecondKind)},
                              Index});
               });
      assert(P.verify());
      Cells += P.numCells();
      PeakCells = std::max(PeakCells, Cells);
    };
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
    Transitions Memo;
    pendingOf(Op.Thread).add(Op.Target, Op.Size, isWriteAccess(Op.Kind), Op.Site,
                             committing(Order.thread(Op.Thread), Memo));
  }

  void atomicAccess(const Operation &Op) override {
    AccessKind Kind = accessKind(Op.Kind);
    for (uint64_t At = Op.Target, End = At + Op.Size; At < End;) {
      uint64_t InGranule = At % Granule::Bytes;
      uint64_t Here = std::min(End - At, Granule::Bytes - InGranule);
      Page &P = pageFor(At / Page::PageBytes);
      Cells -= P.numCells();
      P.accessAtomically(
          Order.thread(Op.Thread), At % Page::PageBytes, Granule::maskOf(InGranule, Here), Kind,
          [&] { return Op.Site; },
          [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
            forEachRun(Raced, [&](unsigned Start, unsigned Count) {
              Sink.report({At - InGranule + Start,
                           Count,
                           {First.thread(), FirstNote, isWrite(FirstKind), isAtomic(FirstKind)},
                           {Op.Thread, Op.Site, isWrite(Kind), isAtomic(Kind)},
                           Index});
            });
          });
      assert(P.verify());
      Cells += P.numCells();
      At += Here;
    }
  }

  void commitThread(ThreadId Thread) override {
    if (Thread >= PendingOf.size() || !PendingOf[Thread])
      return;
    Transitions Memo;
    PendingOf[Thread]->commitAll(committing(Order.thread(Thread), Memo));
  }

  void commitRange(uint64_t Address, uint64_t Size) override {
    for (ThreadId Thread = 0; Thread < PendingOf.size(); ++Thread) {
      if (!PendingOf[Thread])
        continue;
      Transitions Memo;
      PendingOf[Thread]->commitRange(Address, Size, committing(Order.thread(Thread), Memo));
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
        Cells -= P->numCells();
        if (Here == Page::PageBytes) {
          delete Pages.remove(Address / Page::PageBytes);
        } else {
          P->reset(Offset, Here);
          assert(P->verify());
          Cells += P->numCells();
        }
      }
      Address += Here;
      Size -= Here;
    }
  }

  PageTable<Page> Pages;
  std::vector<std::unique_ptr<Pending>> PendingOf; // by thread
  std::map<uint64_t, uint64_t> Allocations;        // base -> bytes
  CommitCounts Counts;
  uint64_t Cells = 0, PeakCells = 0;
};

} // namespace

std::unique_ptr<Detector> photofinish::createSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits<ClassPage<64>, 16>>(Sink);
}
std::unique_ptr<Detector> photofinish::createSmallSlimStateBits(RaceSink &Sink) {
  return std::make_unique<SlimStateBits<ClassPage<4, 2>, 2>>(Sink);
}
