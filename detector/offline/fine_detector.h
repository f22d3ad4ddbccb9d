//===- fine_detector.h - Precise detectors with a location per byte ---------===//
//
// DJIT+, FastTrack and VerifiedFT differ in their handlers for one location; walking
// the trace, the shadow and the clocks is the same for all, and is here.
//
// Handlers has a type Location for FineShadow, and static functions read, write,
// atomicRead and atomicWrite (ThreadState &, Location &, Note, OnRace).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_FINE_DETECTOR_H
#define PHOTOFINISH_DETECTOR_OFFLINE_FINE_DETECTOR_H

#include "detector/atomic_access.h"
#include "detector/offline/happens_before.h"
#include "shadow/fine.h"

namespace photofinish {

inline AccessKind accessKind(OpKind K) {
  if (isAtomicAccess(K))
    return isWriteAccess(K) ? AccessKind::AtomicWrite : AccessKind::AtomicRead;
  return isWriteAccess(K) ? AccessKind::Write : AccessKind::Read;
}

/// A detector that looks at every access at once, against some shadow.
class ImmediateDetector : public Detector {
public:
  ImmediateDetector(RaceSink &Sink, HappensBefore::JoinRule Join) : Sink(Sink), Order(Join) {}

  void process(const Operation &Op) final {
    if (Op.Kind == OpKind::Allocate) {
      forget(Op.Target, Op.Size);
      Order.forget(Op.Target, Op.Size);
    } else if (!isAccess(Op.Kind)) {
      Order.synchronize(Op);
    } else if (isAtomicAccess(Op.Kind)) {
      Order.observeAtomic(Op);
      access(Op);
      Order.publishAtomic(Op);
    } else {
      access(Op);
    }
    ++Index;
  }

  std::vector<RuleCount> ruleCounts() const final { return Order.ruleCounts(); }

protected:
  virtual void access(const Operation &Op) = 0;
  /// The bytes are fresh memory.
  virtual void forget(uint64_t Address, uint64_t Size) = 0;

  RaceSink &Sink;
  HappensBefore Order;
  uint64_t Index = 0; ///< of the operation at hand
};

template <class Handlers> class FineDetector final : public ImmediateDetector {
public:
  using ImmediateDetector::ImmediateDetector;

  ShadowSize shadowSize() const override {
    ShadowSize Size;
    Shadow.forEach([&](const typename Handlers::Location &L, uint64_t) {
      Size.Cells += Handlers::isTouched(L);
    });
    Size.Elements = Size.PeakCells = Size.Cells; // every element has a cell of its own
    return Size;
  }

private:
  void forget(uint64_t Address, uint64_t Size) override { Shadow.reset(Address, Size); }

  void access(const Operation &Op) override {
    ThreadState &T = Order.thread(Op.Thread);
    AccessKind Kind = accessKind(Op.Kind);
    Shadow.visit(
        Op.Target, Op.Size, [&](typename Handlers::Location &L, uint64_t Address, uint64_t Size) {
          auto OnRace = [&](Epoch First, Note N, AccessKind FirstKind) {
            Sink.report({Address,
                         Size,
                         {First.thread(), SiteId(N), isWrite(FirstKind), isAtomic(FirstKind)},
                         {Op.Thread, Op.Site, isWrite(Kind), isAtomic(Kind)},
                         Index});
          };
          switch (Kind) {
          case AccessKind::Read:
            return Handlers::read(T, L, Op.Site, OnRace);
          case AccessKind::Write:
            return Handlers::write(T, L, Op.Site, OnRace);
          case AccessKind::AtomicRead:
            return Handlers::atomicRead(T, L, Op.Site, OnRace);
          case AccessKind::AtomicWrite:
            return Handlers::atomicWrite(T, L, Op.Site, OnRace);
          }
        });
  }

  FineShadow<typename Handlers::Location> Shadow;
};

/// A cell, and what atomics need beside it once there are any.
struct CellLocation {
  LockedCell X;
  std::unique_ptr<AtomicHistory> Atomics;

  void copyFrom(const CellLocation &Other) {
    X.assertOwned();
    Other.X.assertOwned();
    X.copyFrom(Other.X);
    if (Other.Atomics) {
      Atomics = std::make_unique<AtomicHistory>();
      Atomics->copyFrom(*Other.Atomics);
    }
  }
  void reset() {
    X.assertOwned();
    X.reset();
    Atomics.reset();
  }
};

/// Handlers for plain accesses to a cell, extended to locations that atomics touch.
template <class PlainHandlers> struct CellHandlers {
  using Location = CellLocation;

  static bool isTouched(const Location &L) { return !L.X.isUntouched() || L.Atomics; }

  template <class Fn> static void read(ThreadState &T, Location &L, Note N, Fn &&OnRace) {
    if (L.Atomics)
      rule::atomicReadRace(T, *L.Atomics, OnRace);
    PlainHandlers::read(T, L.X, N, OnRace);
  }
  template <class Fn> static void write(ThreadState &T, Location &L, Note N, Fn &&OnRace) {
    if (L.Atomics)
      rule::atomicWriteRace(T, *L.Atomics, OnRace);
    PlainHandlers::write(T, L.X, N, OnRace);
  }
  template <class Fn> static void atomicRead(ThreadState &T, Location &L, Note N, Fn &&OnRace) {
    L.X.assertOwned();
    rule::atomicRead(T, L.X, atomics(L), N, OnRace);
  }
  template <class Fn> static void atomicWrite(ThreadState &T, Location &L, Note N, Fn &&OnRace) {
    L.X.assertOwned();
    rule::atomicWrite(T, L.X, atomics(L), N, OnRace);
  }

private:
  static AtomicHistory &atomics(Location &L) {
    if (!L.Atomics)
      L.Atomics = std::make_unique<AtomicHistory>();
    return *L.Atomics;
  }
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_FINE_DETECTOR_H
