//===- compressed_detector.h - What both SlimStates share ---------------------===//
//
// A detector that defers its checks has to make them before anything changes that the
// answer depends on (slimstate.txt, Figure 3: no rule for synchronization applies
// while a footprint is pending):
//
//   * the thread's clock or epoch: before it synchronizes;
//   * the thread itself: when it ends, and at the latest before it is joined;
//   * the memory: before the range is freed or allocated, for all threads;
//   * the trace: when it is over, for all threads.
//
// This base class drives that. Derived classes note accesses and commit them.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_COMPRESSED_DETECTOR_H
#define PHOTOFINISH_DETECTOR_OFFLINE_COMPRESSED_DETECTOR_H

#include "detector/offline/fine_detector.h"
#include "shadow/access_log.h"

#include <algorithm>

namespace photofinish {

class CompressedDetector : public Detector {
public:
  explicit CompressedDetector(RaceSink &Sink) : Sink(Sink) {}

  void process(const Operation &Op) override {
    if (Op.Kind == OpKind::Allocate) {
      commitRange(Op.Target, Op.Size);
      resetRange(Op.Target, Op.Size);
      Logs.forget(Op.Target, Op.Size);
      Order.forget(Op.Target, Op.Size);
    } else if (Op.Kind == OpKind::Free) {
      if (!freeShortly(Op)) {
        commitRange(Op.Target, Op.Size);
        access(Op);
        commitRange(Op.Target, Op.Size);
      }
    } else if (isAtomicAccess(Op.Kind)) {
      if (HappensBefore::changesClock(Op))
        commitThread(Op.Thread);
      Order.observeAtomic(Op);
      atomicAccess(Op);
      Order.publishAtomic(Op);
    } else if (isAccess(Op.Kind)) {
      access(Op);
    } else {
      if (HappensBefore::changesClock(Op))
        commitThread(Op.Thread);
      if (Op.Kind == OpKind::Join)
        commitThread(ThreadId(Op.Target));
      Order.synchronize(Op);
    }
    ++Index;
  }

  void finish() override {
    for (const auto &T : Order.threads())
      if (T)
        commitThread(T->id());
  }

protected:
  /// A plain access: noted, or checked at once where deferring does not pay.
  virtual void access(const Operation &Op) = 0;
  /// An atomic access: checked at once. Commits other threads' accesses as it needs.
  virtual void atomicAccess(const Operation &Op) = 0;
  /// A free that needs no commit, as what its thread has pending on the range goes with it. False if
  /// it does need one: some of the range may have been checked by then.
  virtual bool freeShortly(const Operation &) { return false; }
  /// Commits what Thread has pending.
  virtual void commitThread(ThreadId Thread) = 0;
  /// Commits what any thread has pending on the range.
  virtual void commitRange(uint64_t Address, uint64_t Size) = 0;
  /// The range is fresh memory.
  virtual void resetRange(uint64_t Address, uint64_t Size) = 0;

  /// Notes which site made an access that a footprint now has.
  void log(ThreadState &T, bool IsWrite, uint64_t Address, uint64_t Size, SiteId Site) {
    Logs[Logs.current(T.now())].add(Site, IsWrite, Address, Size);
    LogIsFull |= Logs.isFull(T.now());
    FirstWindow.forget();
    SecondWindow.forget();
  }
  /// To be called at the end of an access. A thread that never synchronizes commits here.
  void restartFullLog(ThreadState &T) {
    if (!LogIsFull)
      return;
    LogIsFull = false;
    commitThread(T.id());
    Logs.restart(T.id());
  }

  /// The access that [Address, Address+Size) is compared with, First, may have come from
  /// many sites, and so may Second: one report for every run of bytes with the same two.
  void reportRun(uint64_t Address, uint64_t Size, Epoch First, Note FirstNote, AccessKind FirstKind,
                 Epoch Second, Note SecondNote, AccessKind SecondKind) {
    while (Size) {
      uint64_t Offset = Address % SiteWindow::Bytes;
      const SiteId *FirstSites = FirstWindow.sites(Logs, Index, FirstNote, Address - Offset,
                                                   isWrite(FirstKind), /*Recent=*/false);
      const SiteId *SecondSites = SecondWindow.sites(Logs, Index, SecondNote, Address - Offset,
                                                     isWrite(SecondKind), /*Recent=*/true);
      uint64_t End = std::min(Offset + Size, SiteWindow::Bytes), I = Offset + 1;
      while (I < End && FirstSites[I] == FirstSites[Offset] &&
             SecondSites[I] == SecondSites[Offset])
        ++I;
      Sink.report(
          {Address,
           I - Offset,
           {First.thread(), FirstSites[Offset], isWrite(FirstKind), isAtomic(FirstKind)},
           {Second.thread(), SecondSites[Offset], isWrite(SecondKind), isAtomic(SecondKind)},
           Index});
      Address += I - Offset;
      Size -= I - Offset;
    }
  }

  RaceSink &Sink;
  HappensBefore Order;
  AccessLogs Logs;
  uint64_t Index = 0;

private:
  /// The sites of some neighbouring bytes, looked up together: a race is seldom alone.
  struct SiteWindow {
    static constexpr uint64_t Bytes = 512;
    uint64_t Index = ~uint64_t(0), Base = 0;
    Note N = 0;
    bool IsWrite = false;
    SiteId Sites[Bytes];

    void forget() { Index = ~uint64_t(0); }
    /// Between two changes of a log, within one operation, looks once.
    const SiteId *sites(AccessLogs &All, uint64_t NewIndex, Note NewN, uint64_t NewBase,
                        bool NewIsWrite, bool Recent) {
      if (Index == NewIndex && Base == NewBase && N == NewN && IsWrite == NewIsWrite)
        return Sites;
      Index = NewIndex;
      Base = NewBase;
      N = NewN;
      IsWrite = NewIsWrite;
      if (Recent)
        All.recentSitesOf(N, Base, Bytes, IsWrite, Sites);
      else
        All.sitesOf(N, Base, Bytes, IsWrite, Sites);
      return Sites;
    }
  };

  SiteWindow FirstWindow, SecondWindow;
  bool LogIsFull = false;
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_COMPRESSED_DETECTOR_H
