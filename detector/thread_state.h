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

namespace photofinish {

// Every rule that counts itself: the paper's name for it, or ours where the papers
// have none. The first sixteen are Figure 2 of verifiedft.txt.
#define PF_RULES(RULE)                                                                             \
  RULE(ReadSameEpoch, "Read Same Epoch")                                                           \
  RULE(ReadSharedSameEpoch, "Read Shared Same Epoch")                                              \
  RULE(ReadShared, "Read Shared")                                                                  \
  RULE(ReadExclusive, "Read Exclusive")                                                            \
  RULE(ReadShare, "Read Share")                                                                    \
  RULE(WriteReadRace, "Write-Read Race")                                                           \
  RULE(WriteSameEpoch, "Write Same Epoch")                                                         \
  RULE(WriteExclusive, "Write Exclusive")                                                          \
  RULE(WriteShared, "Write Shared")                                                                \
  RULE(WriteWriteRace, "Write-Write Race")                                                         \
  RULE(ReadWriteRace, "Read-Write Race")                                                           \
  RULE(SharedWriteRace, "Shared-Write Race")                                                       \
  RULE(Acquire, "Acquire")                                                                         \
  RULE(Release, "Release")                                                                         \
  RULE(Join, "Join")                                                                               \
  RULE(Fork, "Fork")                                                                               \
  RULE(ReadLock, "Read Lock")                                                                      \
  RULE(ReadUnlock, "Read Unlock")                                                                  \
  RULE(Arrive, "Arrive")                                                                           \
  RULE(Depart, "Depart")                                                                           \
  RULE(OnceFirst, "Once First")                                                                    \
  RULE(OnceLater, "Once Later")                                                                    \
  RULE(LoadAcquire, "Load Acquire")                                                                \
  RULE(LoadRelaxed, "Load Relaxed")                                                                \
  RULE(StoreRelease, "Store Release")                                                              \
  RULE(StoreRelaxed, "Store Relaxed")                                                              \
  RULE(RmwRelease, "Rmw Release")                                                                  \
  RULE(RmwRelaxed, "Rmw Relaxed")                                                                  \
  RULE(FenceAcquire, "Fence Acquire")                                                              \
  RULE(FenceRelease, "Fence Release")                                                              \
  RULE(DjitRead, "Read")                                                                           \
  RULE(DjitWrite, "Write")                                                                         \
  RULE(AtomicRead, "Atomic Read")                                                                  \
  RULE(AtomicWrite, "Atomic Write")                                                                \
  RULE(WriteAtomicRace, "Write-Atomic Race")                                                       \
  RULE(ReadAtomicRace, "Read-Atomic Race")                                                         \
  RULE(AtomicReadRace, "Atomic-Read Race")                                                         \
  RULE(AtomicWriteRace, "Atomic-Write Race")

enum class Rule : uint8_t {
#define PF_ENUM(Id, Name) Id,
  PF_RULES(PF_ENUM)
#undef PF_ENUM
};
#define PF_COUNT(Id, Name) +1
inline constexpr unsigned NumRules = PF_RULES(PF_COUNT);
#undef PF_COUNT
inline constexpr const char *RuleNames[NumRules] = {
#define PF_NAME(Id, Name) Name,
    PF_RULES(PF_NAME)
#undef PF_NAME
};

class ThreadState {
public:
  /// S0: St.V = inc_t(⊥)
  explicit ThreadState(uint32_t Id) : Now(Id, 1) {
    if (Id > Epoch::MaxThread)
      host::giveUp("more than 2^20 - 2 threads");
    V.set(Id, 1);
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
