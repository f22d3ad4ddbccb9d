//===- sync.h - The rules of synchronization, one function each ------------===//
//
// [ACQUIRE], [RELEASE], [FORK] and [JOIN] are Figure 2 of verifiedft.txt. The others
// follow their pattern: what is published takes the thread's clock and starts a new
// epoch of the thread; what is observed is learnt. docs/traces.md lists the edges.
//
// A state here is owned by whoever performs the operation on the object it stands
// for: a held lock's state by its holder, an atomic's by the host's ordering of it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_SYNC_H
#define PHOTOFINISH_DETECTOR_SYNC_H

#include "detector/thread_state.h"

namespace photofinish {

/// A lock: V is the time of the last exclusive release, Readers of all shared
/// releases since.
struct LockState {
  Clock V, Readers;
};

/// A barrier may have several rounds in flight: one that fills up, and closed ones
/// that slow threads have not left yet.
struct BarrierState {
  struct Round {
    uint64_t Number;
    uint32_t Inside; ///< arrived and not departed
    bool Closed;     ///< somebody has departed
    Clock V;
  };
  Array<Round> Rounds;
  uint64_t NextNumber = 0;
};

struct OnceState {
  bool Done = false;
  Clock V;
};

/// Sixteen bytes of memory that atomics write, and for each byte the release sequences
/// that its last write belongs to. A head is kept by thread, because a relaxed store
/// ends the sequences of other threads only (C11, 5.1.2.4). Bytes that were always
/// written together share a Part: mixed-size atomics split it.
struct AtomicBlock {
  static constexpr unsigned Bytes = 16;
  struct Head {
    uint32_t Thread;
    Clock V;
  };
  struct Part {
    uint16_t Mask;
    Array<Head> Heads;
  };
  Array<Part> Parts; // disjoint masks
};

namespace rule {

/// St.V := St.V ⊔ Sm.V
inline void acquire(ThreadState &T, const LockState &M) {
  T.learn(M.V);
  T.learn(M.Readers);
  T.fired(Rule::Acquire);
}

/// Sm.V := St.V, St.V := inc_t(St.V)
inline void release(ThreadState &T, LockState &M) {
  M.V.assign(T.clock());
  M.Readers.clear(); // T acquired M after all of them: its clock has them
  T.advance();
  T.fired(Rule::Release);
}

/// Readers learn from writers, not from each other.
inline void readLock(ThreadState &T, const LockState &M) {
  T.learn(M.V);
  T.fired(Rule::ReadLock);
}

inline void readUnlock(ThreadState &T, LockState &M) {
  M.Readers.join(T.clock());
  T.advance();
  T.fired(Rule::ReadUnlock);
}

/// Su.V := Su.V ⊔ St.V, St.V := inc_t(St.V)
inline void fork(ThreadState &T, ThreadState &U) {
  U.learn(T.clock());
  T.advance();
  T.fired(Rule::Fork);
}

/// St.V := St.V ⊔ Su.V
inline void join(ThreadState &T, const ThreadState &U) {
  T.learn(U.clock());
  T.fired(Rule::Join);
}

/// Returns the number of the round, which the thread's departure names again.
inline uint64_t arrive(ThreadState &T, BarrierState &B) {
  if (B.Rounds.empty() || B.Rounds.back().Closed)
    B.Rounds.push({B.NextNumber++, 0, false, {}});
  BarrierState::Round &R = B.Rounds.back();
  R.V.join(T.clock());
  ++R.Inside;
  T.advance();
  T.fired(Rule::Arrive);
  return R.Number;
}

inline void depart(ThreadState &T, BarrierState &B, uint64_t Number) {
  for (uint32_t I = 0; I < B.Rounds.size(); ++I) {
    BarrierState::Round &R = B.Rounds[I];
    if (R.Number != Number)
      continue;
    R.Closed = true;
    T.learn(R.V);
    if (--R.Inside == 0) {
      // Keep the order: the round that fills up is the last one.
      for (uint32_t J = I; J + 1 < B.Rounds.size(); ++J)
        std::swap(B.Rounds[J], B.Rounds[J + 1]);
      B.Rounds.pop();
    }
    break;
  }
  T.fired(Rule::Depart);
}

inline void once(ThreadState &T, OnceState &O) {
  if (O.Done) {
    T.learn(O.V);
    T.fired(Rule::OnceLater);
    return;
  }
  O.Done = true;
  O.V.assign(T.clock());
  T.advance();
  T.fired(Rule::OnceFirst);
}

/// The reading half of an atomic operation: an acquire learns what the release
/// sequences publish now, a relaxed load at the next acquire fence.
inline void observe(ThreadState &T, const AtomicBlock &B, uint16_t Mask, bool IsAcquire) {
  for (const AtomicBlock::Part &P : B.Parts)
    if (P.Mask & Mask)
      for (const AtomicBlock::Head &H : P.Heads) {
        if (IsAcquire)
          T.learn(H.V);
        else
          T.FenceAcquire.join(H.V);
      }
}

/// Would an acquire learn something? Most often it reads again what it has read before.
inline bool teaches(const AtomicBlock &B, uint16_t Mask, const ThreadState &T) {
  for (const AtomicBlock::Part &P : B.Parts)
    if (P.Mask & Mask)
      for (const AtomicBlock::Head &H : P.Heads)
        if (!H.V.isBefore(T.clock()))
          return true;
  return false;
}

/// Makes the bytes of Mask a union of parts.
inline void splitParts(AtomicBlock &B, uint16_t Mask) {
  uint16_t Rest = Mask;
  for (uint32_t I = 0, N = B.Parts.size(); I < N; ++I) {
    uint16_t Inside = B.Parts[I].Mask & Mask;
    Rest &= ~Inside;
    if (!Inside || Inside == B.Parts[I].Mask)
      continue;
    B.Parts[I].Mask &= ~Inside;
    AtomicBlock::Part &New = B.Parts.push({Inside, {}});
    for (const AtomicBlock::Head &H : B.Parts[I].Heads)
      New.Heads.push({H.Thread, {}}).V.assign(H.V);
  }
  if (Rest)
    B.Parts.push({Rest, {}});
}

/// The writing half. A store ends the sequences that other threads head; a
/// read-modify-write continues them all. The write heads a sequence of its own with
/// what the thread publishes: its clock if it is a release, else what its last
/// release fence saw. The caller starts a new epoch after a release.
inline void publish(ThreadState &T, AtomicBlock &B, uint16_t Mask, bool IsRelease, bool IsRmw) {
  const Clock &Published = IsRelease ? T.clock() : T.FenceRelease;
  splitParts(B, Mask);
  for (uint32_t I = 0; I < B.Parts.size(); ++I) {
    AtomicBlock::Part &P = B.Parts[I];
    if (!(P.Mask & Mask))
      continue;
    AtomicBlock::Head *Own = nullptr;
    for (uint32_t J = 0; J < P.Heads.size();) {
      if (P.Heads[J].Thread != T.id() && !IsRmw) {
        P.Heads.removeUnordered(J);
        continue;
      }
      ++J;
    }
    for (AtomicBlock::Head &H : P.Heads)
      if (H.Thread == T.id())
        Own = &H;
    if (Published.isBottom())
      continue;
    if (!Own)
      Own = &P.Heads.push({T.id(), {}});
    Own->V.join(Published);
  }
}

/// The bytes are fresh memory: no sequence survives.
inline void forgetSequences(AtomicBlock &B, uint16_t Mask) {
  for (uint32_t I = 0; I < B.Parts.size();) {
    B.Parts[I].Mask &= ~Mask;
    if (B.Parts[I].Mask)
      ++I;
    else
      B.Parts.removeUnordered(I);
  }
}

inline void fenceAcquire(ThreadState &T) {
  T.learn(T.FenceAcquire);
  T.fired(Rule::FenceAcquire);
}

inline void fenceRelease(ThreadState &T) {
  T.FenceRelease.assign(T.clock());
  T.advance();
  T.fired(Rule::FenceRelease);
}

} // namespace rule
} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_SYNC_H
