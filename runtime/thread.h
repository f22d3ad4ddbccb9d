//===- thread.h - A thread of the program -------------------------------------------------===//
//
// A Thread has what the rules need (ThreadState), the stack of frames, and the locks it holds.
// What reports say about a thread outlives it: its ThreadInfo.
//
// Epochs name threads by *slot*, and clocks are as long as there are slots. When a thread is
// over, and everything it did happens before every thread that is left, its slot may be used
// again, with clocks that continue: whoever is compared with one of its old epochs covers it
// by right. Until then, however many threads have come and gone, its epochs stay distinct.
//
// A thread is *alone* while there is no other, and it knows everything that those before it did, as
// a program does before it creates its first thread and after it has joined the last. What it
// accesses then is in no race: what came before it knows, and whatever comes is its own or a
// thread's that it will have created. So nothing of it is checked, and nothing remembered.
//
// Who may touch what:
//
//   State's clocks    written by their thread with ClockLock held; read by their thread, by
//                     others with ClockLock; by the creator before the thread begins, and by
//                     the joiner when it is over
//   IsAlone,          its thread; a thread that nobody created ends it, once everything so far is
//   IsUnchecked       ordered before that one
//   all else          its thread; the creator before it begins
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_THREAD_H
#define PHOTOFINISH_RUNTIME_THREAD_H

#include "detector/spin_lock.h"
#include "detector/thread_state.h"
#include "runtime/base/arena.h"
#include "runtime/base/options.h"
#include "runtime/context.h"
#include "runtime/fine_memory.h"
#include "runtime/runtime.h"
#include "runtime/sync_table.h"
#include "shadow/footprint.h"
#include "shadow/recent_granules.h"

#include <iterator>

namespace photofinish::rt {

struct ThreadInfo {
  uint32_t Number = 0; ///< in order of creation; 0 is the main thread
  uint32_t Slot = 0;
  uint64_t FirstClock = 0;
  ThreadInfo *Earlier = nullptr; ///< the one that had the slot before
  uint32_t Creator = 0;
  int SystemId = 0;
  Note Creation = 0; ///< where it was created
  bool IsFinished = false;
  bool WasForeign = false; ///< not created by a function that we see
  /// The clock at which it was alone last: what it did until then is in no race from then on.
  uint64_t AloneUntil = 0;
  char Name[16] = "";
};

/// A page's classes, and what a thread touches of pages: 4 KiB, of which there is none at 0.
using LiveClasses = ClassPage<PF_PAGE_BYTES / LineBytes>;
using LiveFootprint = PageFootprint<PF_PAGE_BYTES / LineBytes>;
using LiveFootprints = Footprints<LiveFootprint, PF_NOTED_ENTRIES, 0>;

/// Where an access comes from, before a note is made of it.
struct LivePlace {
  const pf_site *Site;
  ContextId Context;

  bool operator==(const LivePlace &) const = default;
  uint64_t hash() const { return reinterpret_cast<uintptr_t>(Site) / sizeof(pf_site); }
};

/// A lock that the thread holds, and how often.
struct HeldLock {
  uintptr_t Lock;
  LockKind Kind;
  uint32_t Count;
};

/// What the thread has called lately, where it has held locks, and what it has checked at once in
/// its epoch: most of it comes again. Zeroed memory is one, and costs what is used of it.
struct RecentWork {
  struct Locked {
    ContextId Context;
    LockSetId Locks;
    ContextId WithLocks;
  };
  static constexpr size_t Count = 256;
  Contexts::Calls Calls;
  Locked Of[Count];
  RecentGranules Checked;
};

/// The gate comes first: entered.h finds it there.
class Thread : public ThreadGate {
public:
  Thread(ThreadInfo *Info, uint64_t FirstClock, RecentWork *Recent)
      : State(Info->Slot, FirstClock), Info(Info), Recent(Recent) {}

  ThreadState State;
  SpinLock ClockLock;
  ThreadInfo *Info;
  pf_frame *Frames = nullptr; ///< the first one; null for a thread that only borrows some
  size_t FrameBytes = 0;
  Array<HeldLock> Held;
  LockSetId Locks = 0;  ///< setLocks() changes it
  uintptr_t Handle = 0; ///< under the registry's lock
  uintptr_t StackStart = 0;
  size_t StackBytes = 0;
  uintptr_t LocalEnd = 0; ///< where its thread-local memory ends
  bool IsDetached = false;
  RecentWork *Recent;
  LiveFootprints *Touched = nullptr; ///< in its epoch; see slim_memory.h
  Epoch TouchedAt;
  PendingAccesses<LiveFootprint, LivePlace> Pending; ///< not committed so far
  Stamper Stamping{TheStamps};
  CommitCounts Commits;
  SparePieces Spares;
  uint64_t AccessesNoted = 0; ///< counted where all of them are seen
  uint64_t AccessesAlone = 0; ///< and those that were not checked, in granules
  RecentAtomics UsedAtomics;
  Array<SyncObject *> Atomics; ///< locked between __pf_atomic_begin and __pf_atomic_end
  Thread *NextLive = nullptr;  ///< under the registry's lock

  uint32_t number() const { return Info->Number; }
  /// Where an access at Site would come from now.
  LivePlace placeOf(const pf_site *Site) {
    pf_frame *Top = __pf_thread.stack_top;
    // Most often the innermost frame is the thread's own, and its context is known.
    uintptr_t Used = reinterpret_cast<uintptr_t>(Top) - reinterpret_cast<uintptr_t>(Frames);
    if (Used - sizeof(pf_frame) < FrameBytes && Top[-1].context)
      return {Site, Top[-1].context};
    return {Site, TheContexts.contextOf(framesBegin(), __pf_thread.stack_top, Recent->Calls)};
  }
  /// Site, calls and locks of an access that the thread makes now.
  Note noteFor(const pf_site *Site) { return noteFor(placeOf(Site)); }
  /// And of one that it has made since its locks last changed.
  Note noteFor(const LivePlace &Place) {
    return TheContexts.noteFor(Locks ? withLocks(Place.Context) : Place.Context, Place.Site);
  }
  /// What the shadow remembers of it.
  Stamp stampFor(const pf_site *Site) { return stampFor(placeOf(Site)); }
  Stamp stampFor(const LivePlace &Place) {
    return Stamping.stampFor(State.now(), reinterpret_cast<uintptr_t>(Place.Site), Place.Context,
                             [&] { return noteFor(Place); });
  }
  /// It holds other locks from now on.
  void setLocks(LockSetId Now) {
    Locks = Now;
    Stamping.forgetPlaces();
  }
  /// Is it alone? Says also whether its plain accesses have to come to the runtime.
  void setAlone(bool Is);
  bool isAlone() const { return IsAlone.load(std::memory_order_relaxed); }
  Committer committer() { return {State, Stamping, Commits}; }
  /// The thread's epoch may have changed: its hits are those of the new one, unless all accesses
  /// are to be seen.
  void publishNow();

private:
  std::atomic<bool> IsAlone{false};

  ContextId withLocks(ContextId Context) {
    RecentWork::Locked &L =
        Recent->Of[(Context ^ Locks * UINT64_C(0x9E3779B1)) % RecentWork::Count];
    if (L.Context != Context || L.Locks != Locks)
      L = {Context, Locks, TheContexts.withLocks(Context, Locks)};
    return L.WithLocks;
  }
  pf_frame *framesBegin() const {
    // A thread that was first seen in the middle of its work returns to frames that are not its
    // own.
    bool IsOwn = size_t(__pf_thread.stack_top - Frames) <= FrameBytes / sizeof(pf_frame);
    return TheOptions.stacks && IsOwn ? Frames : __pf_thread.stack_top;
  }
};

/// All threads that there are, and what is known of those that were.
class Registry {
public:
  /// A thread with a slot of its own; nobody knows it yet.
  Thread *create(Thread *Creator, Note Creation);
  /// Its object goes; what is known about it stays.
  void retire(Thread *T);
  /// The thread has this handle (a pthread_t), and no other has it any more.
  void giveHandle(Thread *T, uintptr_t Handle);
  /// Whose handle it is; null if nobody's.
  Thread *find(uintptr_t Handle);
  /// Who performed this epoch.
  const ThreadInfo *infoOf(Epoch E);
  const ThreadInfo *infoOfNumber(uint32_t Number);
  /// Whose thread-local memory, or whose stack, has this address; null if nobody's. Thread-local
  /// memory may be part of the stack's.
  const ThreadInfo *localOwner(uintptr_t Address);
  const ThreadInfo *stackOwner(uintptr_t Address);
  uint32_t numThreads() const { return Infos.size(); }
  /// Is there no thread but T, the caller, which knows all that others have done?
  bool isAlone(const Thread &T);
  /// A detached thread that the system no longer has; null if there is none.
  Thread *findDead();
  /// In the child of a fork: only the caller is left.
  void keepOnly(Thread *T);
  template <class Fn> void forEachLive(Fn &&Visit) {
    for (Thread *T = Live; T; T = T->NextLive)
      Visit(*T);
  }
  // What all threads have counted, those that are gone included.
  uint64_t timesFired(Rule R);
  CommitCounts commits();
  uint64_t accessesNoted() { return sumOf(&Thread::AccessesNoted, Noted); }
  uint64_t accessesAlone() { return sumOf(&Thread::AccessesAlone, Alone); }

  SpinLock Lock;

private:
  struct Retired {
    uint32_t Slot;
    uint64_t LastClock;
  };
  /// A slot that is safe to use again, or a new one.
  uint32_t takeSlot(uint64_t &FirstClock);
  bool isKnownToAll(const Retired &R);
  /// Of a count that every thread has, and of what those that are gone had counted.
  uint64_t sumOf(uint64_t Thread::*Count, const uint64_t &OfThoseGone);

  Thread *Live = nullptr;
  Array<ThreadInfo *> Infos;      // by number
  Array<ThreadInfo *> LastOfSlot; // by slot
  Array<Retired> RetiredSlots;
  uint64_t Fired[NumRules] = {};
  CommitCounts Commits;
  uint64_t Noted = 0, Alone = 0;
};

extern Registry TheRegistry;

/// Of the calling thread; null if it is not known yet.
inline Thread *currentThread() { return static_cast<Thread *>(__pf_thread.self); }

/// Gives a thread its stack of frames and makes it the calling thread's.
void installThread(Thread *T, size_t StackBytes);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_THREAD_H
