//===- live.cpp - The live runtime's shadow over a trace ---------------------===//
//
// The runtime checks accesses against pages of granules (shadow/granule.h). Driven from a
// trace, the same code goes through every differential test.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/create.h"
#include "detector/offline/fine_detector.h"
#include "detector/offline/stampers.h"
#include "shadow/granule.h"
#include "shadow/page_table.h"

#include <bit>

using namespace photofinish;

namespace {

class LiveDetector final : public ImmediateDetector {
public:
  explicit LiveDetector(RaceSink &Sink)
      : ImmediateDetector(Sink, HappensBefore::JoinRule::VerifiedFT), By(All) {}
  ~LiveDetector() override {
    Pages.forEach([](uint64_t, FinePage &P) { destroy(&P); });
  }

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    Pages.forEach([&](uint64_t, const FinePage &P) {
      P.forEach(All, [&](uint8_t Mask) {
        ++Size.Cells;
        Size.Elements += uint64_t(std::popcount(Mask));
      });
    });
    Size.PeakCells = Size.Cells;
    return Size;
  }

private:
  static void destroy(FinePage *P) {
    P->~FinePage();
    host::release(P, sizeof(FinePage));
  }

  FinePage &pageFor(uint64_t Number) {
    if (FinePage *P = Pages.find(Number))
      return *P;
    auto *P = new (host::allocate(sizeof(FinePage))) FinePage();
    Pages.insert(Number, P);
    return *P;
  }

  void access(const Operation &Op) override {
    ThreadState &T = Order.thread(Op.Thread);
    AccessKind Kind = accessKind(Op.Kind);
    forEachPage(Op.Target, Op.Size, [&](uint64_t Start, uint64_t Size) {
      pageFor(Start >> FinePage::Shift)
          .visit(Start, Size, [&](Granule &G, uint8_t Mask, uint64_t At) {
            checkGranule(
                T, By[Op.Thread], G, Mask, Kind,
                [&] { return By[Op.Thread].stampFor(T.now(), Op.Site); },
                [&](uint8_t Bytes, Epoch First, Stamp S, AccessKind FirstKind) {
                  report(Op, Kind, At, Bytes, First, SiteId(All.noteOf(S)), FirstKind);
                });
          });
    });
    if (All.wantsCollection())
      By.collect([&](Stamps::Collection &C) {
        Pages.forEach([&](uint64_t, FinePage &P) { P.keep(C, All); });
      });
  }

  /// A report is on a range: one for each run of bytes in the mask.
  void report(const Operation &Op, AccessKind Kind, uint64_t At, unsigned Bytes, Epoch First,
              SiteId Site, AccessKind FirstKind) {
    while (Bytes) {
      auto Start = unsigned(std::countr_zero(Bytes));
      auto Length = unsigned(std::countr_one(Bytes >> Start));
      Sink.report({At + Start,
                   Length,
                   {First.thread(), Site, isWrite(FirstKind), isAtomic(FirstKind)},
                   {Op.Thread, Op.Site, isWrite(Kind), isAtomic(Kind)},
                   Index});
      Bytes &= ~(((1u << Length) - 1) << Start);
    }
  }

  void forget(uint64_t Address, uint64_t Bytes) override {
    forEachPage(Address, Bytes, [&](uint64_t Start, uint64_t Size) {
      if (Size == FinePage::Bytes) {
        if (FinePage *P = Pages.remove(Start >> FinePage::Shift))
          destroy(P);
      } else if (FinePage *P = Pages.find(Start >> FinePage::Shift)) {
        P->visit(Start, Size, [&](Granule &G, uint8_t Mask, uint64_t) {
          G.store(Granule::forgotten(G.load(), By[0], Mask));
        });
      }
    });
  }

  PageTable<FinePage> Pages;
  OfflineStamps Owned;
  Stamps &All = Owned.get();
  Stampers By;
};

} // namespace

std::unique_ptr<Detector> photofinish::createLive(RaceSink &Sink) {
  return std::make_unique<LiveDetector>(Sink);
}
