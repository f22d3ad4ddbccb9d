//===- thread_state.h - What a detector knows of one thread ----------------===//
//
// VerifiedFT's ThreadState, with the two clocks that standalone fences need and a
// counter for every rule. Thread-local to its thread while that runs; before, it
// belongs to the thread that forks it, afterwards to whoever has joined it
// (verifiedft.txt, section 4).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_THREAD_STATE_H
#define PHOTOFINISH_DETECTOR_THREAD_STATE_H

#include "detector/clock.h"
#include "detector/rule_kind.h"

namespace photofinish {

// Every rule that counts itself: the paper's name for it, or ours where the papers
// have none, and its RuleKind. The first sixteen are Figure 2 of verifiedft.txt.
#define PF_RULES(RULE)                                                                             \
  RULE(ReadSameEpoch, "Read Same Epoch", Access)                                                   \
  RULE(ReadSharedSameEpoch, "Read Shared Same Epoch", Access)                                      \
  RULE(ReadShared, "Read Shared", Access)                                                          \
  RULE(ReadExclusive, "Read Exclusive", Access)                                                    \
  RULE(ReadShare, "Read Share", Access)                                                            \
  RULE(WriteReadRace, "Write-Read Race", Race)                                                     \
  RULE(WriteSameEpoch, "Write Same Epoch", Access)                                                 \
  RULE(WriteExclusive, "Write Exclusive", Access)                                                  \
  RULE(WriteShared, "Write Shared", Access)                                                        \
  RULE(WriteWriteRace, "Write-Write Race", Race)                                                   \
  RULE(ReadWriteRace, "Read-Write Race", Race)                                                     \
  RULE(SharedWriteRace, "Shared-Write Race", Race)                                                 \
  RULE(Acquire, "Acquire", Sync)                                                                   \
  RULE(Release, "Release", Sync)                                                                   \
  RULE(Join, "Join", Sync)                                                                         \
  RULE(Fork, "Fork", Sync)                                                                         \
  RULE(ReadLock, "Read Lock", Sync)                                                                \
  RULE(ReadUnlock, "Read Unlock", Sync)                                                            \
  RULE(Arrive, "Arrive", Sync)                                                                     \
  RULE(Depart, "Depart", Sync)                                                                     \
  RULE(OnceFirst, "Once First", Sync)                                                              \
  RULE(OnceLater, "Once Later", Sync)                                                              \
  RULE(LoadAcquire, "Load Acquire", Sync)                                                          \
  RULE(LoadRelaxed, "Load Relaxed", Sync)                                                          \
  RULE(StoreRelease, "Store Release", Sync)                                                        \
  RULE(StoreRelaxed, "Store Relaxed", Sync)                                                        \
  RULE(RmwRelease, "Rmw Release", Sync)                                                            \
  RULE(RmwRelaxed, "Rmw Relaxed", Sync)                                                            \
  RULE(FenceAcquire, "Fence Acquire", Sync)                                                        \
  RULE(FenceRelease, "Fence Release", Sync)                                                        \
  RULE(DjitRead, "Read", Access)                                                                   \
  RULE(DjitWrite, "Write", Access)                                                                 \
  RULE(AtomicRead, "Atomic Read", Access)                                                          \
  RULE(AtomicWrite, "Atomic Write", Access)                                                        \
  RULE(WriteAtomicRace, "Write-Atomic Race", Race)                                                 \
  RULE(ReadAtomicRace, "Read-Atomic Race", Race)                                                   \
  RULE(AtomicReadRace, "Atomic-Read Race", Race)                                                   \
  RULE(AtomicWriteRace, "Atomic-Write Race", Race)

PF_DEFINE_RULES(PF_RULES)

class ThreadState {
public:
  /// S0: St.V = inc_t(⊥). A number whose last owner is known to everybody may be used again, with
  /// clocks that continue where that one's ended.
  explicit ThreadState(uint32_t Id, uint64_t FirstClock = 1) : Now(Id, FirstClock) {
    if (Id > Epoch::MaxThread)
      host::giveUp("more than 2^20 - 2 threads");
    V.set(Id, FirstClock);
  }

  uint32_t id() const { return Now.thread(); }
  /// Et = St.V(t)
  Epoch now() const { return Now; }
  /// St.V
  const Clock &clock() const { return V; }

  void learn(const Clock &Other) { V.join(Other); }
  /// inc_t: what comes next is not ordered before what others have just learnt.
  void advance() {
    Now = Now.advance();
    V.set(Now.thread(), Now.clock());
  }

  /// Counts a rule; true, so that rules can end with it.
  bool fired(Rule R) {
    ++Fired[unsigned(R)];
    return true;
  }
  uint64_t timesFired(Rule R) const { return Fired[unsigned(R)]; }

  /// What the last release fence published, and what relaxed loads have read that a
  /// later acquire fence will learn.
  Clock FenceRelease, FenceAcquire;

private:
  Epoch Now;
  Clock V;
  uint64_t Fired[NumRules] = {};
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_THREAD_STATE_H
