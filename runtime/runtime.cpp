//===- runtime.cpp - What an interceptor can tell the runtime ------------===//
//
// Every function of runtime.h: finds the state that is meant, applies the rule to it, records
// the event, and tells inlined checks about the thread's new epoch.
//
//===----------------------------------------------------------------------===//

#include "runtime/runtime.h"

#include "runtime/heap.h"
#include "runtime/memory.h"
#include "runtime/recorder.h"
#include "runtime/report.h"
#include "runtime/sync_table.h"
#include "runtime/thread.h"
#include "runtime/world.h"

#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

// Entering.

Entered::Entered(const pf_site *Site, void *ReturnAddress) : Entered(Site) {
  if (!T)
    return;
  HasFrame = true;
  pf_frame *Frame = __pf_thread.stack_top;
  Frame->return_address = reinterpret_cast<uintptr_t>(ReturnAddress);
  Frame->context = 0;
  __pf_thread.stack_top = Frame + 1;
}

bool rt::isInside() {
  Thread *T = currentThread();
  return T && T->Inside.load(std::memory_order_relaxed);
}

void rt::deliverOnLeaving(void (*Deliver)()) { currentThread()->OnLeaving = Deliver; }

// Accesses.

bool rt::isInNoRace(Thread &T, uintptr_t Address, size_t Bytes) {
  // What is recorded is also checked, to see that there is none.
  if (!T.isAlone() || recording())
    return false;
  T.AccessesAlone += (Address + Bytes - 1) / Granule::Bytes - Address / Granule::Bytes + 1;
  return true;
}

template <AccessKind Kind> static void accessRange(Entered &E, const void *Start, size_t Bytes) {
  if (E.isIdle() || !Bytes)
    return;
  Thread &T = E.thread();
  auto Address = reinterpret_cast<uintptr_t>(Start);
  // Most often: strings and small structures.
  if (__builtin_expect(T.IsCheckedShortly.load(std::memory_order_relaxed), true) &&
      (TheMemory.isDeferred()
           ? TheMemory.noteRange(T, Address, Bytes, Kind == AccessKind::Write,
                                 T.placeOf(E.site()))
           : FineMemory::accessFewSimply<Kind>(T.committer(), Address, Bytes,
                                               [&] { return T.stampFor(E.site()); })))
    return;
  if (isInNoRace(T, Address, Bytes))
    return;
  FoundRaces Found;
  {
    RecordingLock Lock;
    bool IsWrite = Kind == AccessKind::Write;
    recordCheck(T, E.site(), IsWrite, Address, Bytes);
    if (TheMemory.isDeferred())
      TheMemory.add(T, Address, Bytes, IsWrite, T.placeOf(E.site()), Found);
    else
      TheMemory.access(T, Address, Bytes, Kind, [&] { return T.stampFor(E.site()); }, Found);
  }
  if (!Found.empty())
    reportRaces(E, Kind, AccessForm::Plain, Address, Bytes, Found);
}

void rt::accessElements(Entered &E, const Elements &Some, AccessKind Kind) {
  if (E.isIdle())
    return;
  Thread &T = E.thread();
  bool IsWrite = Kind == AccessKind::Write;
  if (TheMemory.isDeferred() && !recording() && !T.isAlone()) {
    FoundRaces Found;
    TheMemory.add(T, Some, IsWrite, T.placeOf(E.site()), Found);
    reportNoted(*T.Info, Found);
    return haltIfWanted();
  }
  for (uint32_t I = 0; I < Some.Count; ++I) {
    auto *Start = reinterpret_cast<void *>(Some.First + uint64_t(Some.Stride) * I);
    if (IsWrite)
      accessRange<AccessKind::Write>(E, Start, Some.Size);
    else
      accessRange<AccessKind::Read>(E, Start, Some.Size);
  }
}

void rt::readRange(Entered &E, const void *Start, size_t Bytes) {
  accessRange<AccessKind::Read>(E, Start, Bytes);
}

void rt::writeRange(Entered &E, const void *Start, size_t Bytes) {
  accessRange<AccessKind::Write>(E, Start, Bytes);
}

// Synchronization.

namespace {

/// Around everything that changes the thread's clock.
class Synchronizing {
public:
  explicit Synchronizing(Entered &E) PF_NO_ANALYSIS : T(E.thread()) {
    commitNoted(E);
    tidyMemory(E);
    T.ClockLock.lock();
  }
  ~Synchronizing() PF_NO_ANALYSIS {
    T.publishNow();
    T.ClockLock.unlock();
  }

private:
  Thread &T;
};

/// A synchronization object, its lock held.
class Owned {
public:
  Owned(uintptr_t Key, SyncKind Kind) : Object(&TheSyncTable.lockOrMake(Key, Kind)) {}
  explicit Owned(SyncObject *LockedOrNull) : Object(LockedOrNull) {}
  ~Owned() PF_NO_ANALYSIS {
    if (Object)
      Object->Lock.unlock();
  }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  explicit operator bool() const { return Object; }
  SyncObject *operator->() { return Object; }

private:
  SyncObject *Object;
};

uintptr_t keyOf(const void *Object) { return reinterpret_cast<uintptr_t>(Object); }

HeldLock *findHeld(Thread &T, uintptr_t Lock) {
  for (uint32_t I = T.Held.size(); I--;)
    if (T.Held[I].Lock == Lock)
      return &T.Held[I];
  return nullptr;
}

void addHeld(Thread &T, uintptr_t Lock, LockKind Kind, uint32_t Count) {
  T.Held.push({Lock, Kind, Count});
  T.setLocks(TheLockSets.with(T.Locks, Lock, uint8_t(Kind)));
}

void removeHeld(Thread &T, HeldLock *H) {
  auto Index = uint32_t(H - T.Held.begin());
  for (uint32_t I = Index; I + 1 < T.Held.size(); ++I)
    T.Held[I] = T.Held[I + 1];
  T.Held.pop();
  LockSetId Locks = 0;
  for (const HeldLock &Left : T.Held)
    Locks = TheLockSets.with(Locks, Left.Lock, uint8_t(Left.Kind));
  T.setLocks(Locks);
}

void acquire(Entered &E, uintptr_t Lock, LockKind Kind) {
  Synchronizing Clock(E);
  Thread &T = E.thread();
  {
    Owned O(Lock, SyncKind::Lock);
    RecordingLock Recording;
    if (Kind == LockKind::RwLockShared) {
      record(T, E.site(), PF_RECORDED_READ_LOCK, O->Serial);
      rule::readLock(T.State, O->lock());
    } else {
      record(T, E.site(), PF_RECORDED_ACQUIRE, O->Serial);
      rule::acquire(T.State, O->lock());
    }
  }
  // Somebody who did not hold the lock may have released it.
  if (Owned Stray(TheSyncTable.lockIfThere(Lock, SyncKind::Channel)); Stray)
    T.State.learn(Stray->channel());
}

void release(Entered &E, uintptr_t Lock, LockKind Kind) {
  Synchronizing Clock(E);
  Thread &T = E.thread();
  Owned O(Lock, SyncKind::Lock);
  RecordingLock Recording;
  if (Kind == LockKind::RwLockShared) {
    record(T, E.site(), PF_RECORDED_READ_UNLOCK, O->Serial);
    rule::readUnlock(T.State, O->lock());
  } else {
    record(T, E.site(), PF_RECORDED_RELEASE, O->Serial);
    rule::release(T.State, O->lock());
  }
}

} // namespace

void rt::lockAcquired(Entered &E, const void *Lock, LockKind Kind) {
  if (E.isIdle())
    return;
  if (HeldLock *H = findHeld(E.thread(), keyOf(Lock))) {
    ++H->Count;
    return;
  }
  acquire(E, keyOf(Lock), Kind);
  addHeld(E.thread(), keyOf(Lock), Kind, 1);
}

void rt::lockReleased(Entered &E, const void *Lock) {
  if (E.isIdle())
    return;
  HeldLock *H = findHeld(E.thread(), keyOf(Lock));
  if (!H)
    return channelReleased(E, channelAt(Lock));
  if (--H->Count)
    return;
  LockKind Kind = H->Kind;
  release(E, keyOf(Lock), Kind); // what is pending was accessed with the lock held
  removeHeld(E.thread(), H);
}

unsigned rt::lockReleasedWholly(Entered &E, const void *Lock) {
  if (E.isIdle())
    return 0;
  HeldLock *H = findHeld(E.thread(), keyOf(Lock));
  if (!H) {
    channelReleased(E, channelAt(Lock));
    return 0;
  }
  unsigned Count = H->Count;
  H->Count = 1;
  lockReleased(E, Lock);
  return Count;
}

void rt::lockAcquiredAgain(Entered &E, const void *Lock, LockKind Kind, unsigned Count) {
  if (E.isIdle())
    return;
  lockAcquired(E, Lock, Kind);
  if (HeldLock *H = findHeld(E.thread(), keyOf(Lock)); H && Count)
    H->Count = Count;
}

void rt::lockForgotten(Entered &E, const void *Lock) {
  if (E.isIdle())
    return;
  if (HeldLock *H = findHeld(E.thread(), keyOf(Lock))) {
    commitNoted(E);
    removeHeld(E.thread(), H);
  }
  TheSyncTable.forget(keyOf(Lock), SyncKind::Lock);
  TheSyncTable.forget(keyOf(Lock), SyncKind::Channel);
}

// In a trace a channel is an atomic at an address that no program has, released by a
// read-modify-write: it continues all release sequences there are.
static uint64_t recordedChannel(uint64_t Serial) { return PF_RECORDED_CHANNELS + Serial * 16; }

void rt::channelReleased(Entered &E, Channel C) {
  if (E.isIdle())
    return;
  Synchronizing Clock(E);
  Thread &T = E.thread();
  Owned O(C, SyncKind::Channel);
  RecordingLock Recording;
  record(T, E.site(), PF_RECORDED_ATOMIC_RMW, recordedChannel(O->Serial), 8, PF_RELEASE);
  O->channel().join(T.State.clock());
  T.State.advance();
  T.State.fired(Rule::RmwRelease);
}

void rt::channelAcquired(Entered &E, Channel C) {
  if (E.isIdle())
    return;
  Synchronizing Clock(E);
  Thread &T = E.thread();
  Owned O(TheSyncTable.lockIfThere(C, SyncKind::Channel));
  if (!O)
    return;
  RecordingLock Recording;
  record(T, E.site(), PF_RECORDED_ATOMIC_LOAD, recordedChannel(O->Serial), 8, PF_ACQUIRE);
  T.State.learn(O->channel());
  T.State.fired(Rule::LoadAcquire);
}

void rt::channelForgotten(Entered &E, Channel C) {
  if (E.isIdle())
    return;
  TheSyncTable.forget(C, SyncKind::Channel);
}

uint64_t rt::barrierArrived(Entered &E, const void *Barrier) {
  if (E.isIdle())
    return 0;
  Synchronizing Clock(E);
  Thread &T = E.thread();
  Owned O(keyOf(Barrier), SyncKind::Barrier);
  RecordingLock Recording;
  record(T, E.site(), PF_RECORDED_ARRIVE, O->Serial);
  return rule::arrive(T.State, O->barrier());
}

void rt::barrierDeparted(Entered &E, const void *Barrier, uint64_t Round) {
  if (E.isIdle())
    return;
  Synchronizing Clock(E);
  Thread &T = E.thread();
  Owned O(keyOf(Barrier), SyncKind::Barrier);
  RecordingLock Recording;
  record(T, E.site(), PF_RECORDED_DEPART, O->Serial);
  rule::depart(T.State, O->barrier(), Round);
}

void rt::barrierForgotten(Entered &E, const void *Barrier) {
  if (E.isIdle())
    return;
  TheSyncTable.forget(keyOf(Barrier), SyncKind::Barrier);
}

// Memory.

void rt::blockAllocated(Entered &E, const void *Block, size_t Bytes) {
  if (E.isIdle() || !Block)
    return;
  Thread &T = E.thread();
  uintptr_t Start = keyOf(Block);
  commitNotedBy(E, Start, Bytes);
  {
    RecordingLock Recording;
    record(T, E.site(), PF_RECORDED_ALLOCATE, Start, Bytes);
    TheMemory.forget(T, Start, Bytes);
  }
  TheSyncTable.forgetRange(Start, Bytes);
  TheHeap.add({Start, Bytes, T.noteFor(E.site()), T.number(), 0, 0, false});
}

bool rt::blockFreed(Entered &E, const void *Start) {
  if (E.isIdle())
    return false;
  HeapBlock Block;
  Thread &T = E.thread();
  if (!TheHeap.remove(keyOf(Start), T.noteFor(E.site()), T.number(), Block))
    return false;
  if (T.IsCheckedShortly.load(std::memory_order_relaxed) && !T.isAlone() &&
      TheMemory.freeShortly(T, Block.Start, Block.Bytes,
                            [&] { return T.stampFor(E.site()); })) {
    TheSyncTable.forgetRange(Block.Start, Block.Bytes);
    return true;
  }
  FoundRaces Found;
  commitNotedBy(E, Block.Start, Block.Bytes);
  {
    RecordingLock Recording;
    record(T, E.site(), PF_RECORDED_FREE, Block.Start, Block.Bytes);
    TheMemory.countGone(Block.Start, Block.Bytes);
    if (isInNoRace(T, Block.Start, Block.Bytes))
      TheMemory.forget(T, Block.Start, Block.Bytes);
    else
      TheMemory.accessAndDrop(
          T, Block.Start, Block.Bytes, [&] { return T.stampFor(E.site()); }, Found, true);
  }
  TheSyncTable.forgetRange(Block.Start, Block.Bytes);
  if (!Found.empty())
    reportRaces(E, AccessKind::Write, AccessForm::Free, Block.Start, Block.Bytes, Found);
  return true;
}

size_t rt::blockSize(const void *Block) { return TheHeap.sizeOf(keyOf(Block)); }

void rt::memoryMapped(Entered &E, const void *Start, size_t Bytes) {
  if (E.isIdle())
    return;
  Thread &T = E.thread();
  commitNotedBy(E, keyOf(Start), Bytes);
  {
    RecordingLock Recording;
    recordFresh(keyOf(Start), Bytes);
    TheMemory.forget(T, keyOf(Start), Bytes);
  }
  TheSyncTable.forgetRange(keyOf(Start), Bytes);
}

void rt::memoryUnmapped(Entered &E, const void *Start, size_t Bytes) {
  if (E.isIdle())
    return;
  Thread &T = E.thread();
  FoundRaces Found;
  commitNotedBy(E, keyOf(Start), Bytes);
  {
    RecordingLock Recording;
    if (recording())
      TheMemory.forEachTouched(keyOf(Start), Bytes, [&](uintptr_t From, size_t Here) {
        record(T, E.site(), PF_RECORDED_WRITE, From, Here);
      });
    TheMemory.countGone(keyOf(Start), Bytes);
    if (!T.isAlone() || recording())
      TheMemory.accessAndDrop(
          T, keyOf(Start), Bytes, [&] { return T.stampFor(E.site()); }, Found, false);
    recordFresh(keyOf(Start), Bytes);
    TheMemory.forget(T, keyOf(Start), Bytes);
  }
  TheSyncTable.forgetRange(keyOf(Start), Bytes);
  if (!Found.empty())
    reportRaces(E, AccessKind::Write, AccessForm::Unmap, keyOf(Start), Bytes, Found);
}

// Threads.

/// After another thread has gone.
static void noticeIfAlone(Thread &T) {
  T.setAlone(TheRegistry.isAlone(T));
  T.publishNow();
}

Thread *rt::threadForked(Entered &E) {
  if (E.isIdle())
    return nullptr;
  if (Thread *Dead = TheRegistry.findDead()) {
    commitNotedOf(*Dead);
    TheRegistry.retire(Dead);
  }
  Thread &T = E.thread();
  T.setAlone(false);
  Thread *Child = TheRegistry.create(&T, T.noteFor(E.site()));
  Synchronizing Clock(E);
  RecordingLock Recording;
  record(T, E.site(), PF_RECORDED_FORK, Child->number());
  Locked Guard(Child->ClockLock);
  rule::fork(T.State, Child->State);
  return Child;
}

void rt::threadForkFailed(Entered &E, Thread *Child) {
  if (E.isIdle())
    return;
  TheRegistry.retire(Child);
  noticeIfAlone(E.thread());
}

void rt::threadCreated(Entered &E, Thread *Child, uintptr_t Handle) {
  if (E.isIdle())
    return;
  TheRegistry.giveHandle(Child, Handle);
}

void rt::threadBegins(Thread *T, const void *StackStart, size_t StackBytes) {
  T->StackStart = keyOf(StackStart);
  T->StackBytes = StackBytes;
  installThread(T, StackBytes);
  Entered E(PF_FUNCTION_SITE("thread start"));
  memoryMapped(E, StackStart, StackBytes);
}

void rt::threadEnds(Entered &E) {
  if (E.isIdle())
    return;
  Thread &T = E.thread();
  commitNoted(E);
  commitNotedBy(E, T.StackStart, T.StackBytes);
  T.Info->IsFinished = true;
  RecordingLock Recording;
  recordFresh(T.StackStart, T.StackBytes);
  TheMemory.forget(T, T.StackStart, T.StackBytes);
}

Thread *rt::threadOf(uintptr_t Handle) { return TheRegistry.find(Handle); }

void rt::threadJoined(Entered &E, Thread *Child) {
  if (E.isIdle())
    return;
  commitNotedOf(*Child); // destructors of thread-local objects come after its end
  {
    Synchronizing Clock(E);
    RecordingLock Recording;
    record(E.thread(), E.site(), PF_RECORDED_JOIN, Child->number());
    rule::join(E.thread().State, Child->State);
  }
  TheRegistry.retire(Child);
  noticeIfAlone(E.thread());
}

void rt::threadDetached(Entered &E, Thread *Child) {
  if (E.isIdle())
    return;
  Child->IsDetached = true;
}

void rt::threadNamed(Entered &E, uintptr_t Handle, const char *Name) {
  if (E.isIdle())
    return;
  Thread *T = TheRegistry.find(Handle);
  if (!T)
    return;
  size_t I = 0;
  for (; Name[I] && I + 1 < sizeof(T->Info->Name); ++I)
    T->Info->Name[I] = Name[I];
  T->Info->Name[I] = 0;
}
