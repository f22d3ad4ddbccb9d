//===- thread.cpp - A thread of the program --------------------------------------------------===//

#include "runtime/thread.h"

#include "runtime/memory.h"

#include "runtime/base/options.h"
#include "runtime/platform/os.h"
#include "runtime/recorder.h"

#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit Registry rt::TheRegistry;

// A thread that we have not seen begin has frames, too, until it first enters the runtime: all such
// threads write to these, and nobody reads them.
static constexpr unsigned NumStrayFrames = 65536;
static pf_frame StrayFrames[NumStrayFrames];

// And a thread that has noted nothing, or whose accesses must all be seen, has this to look at.
alignas(64) static pf_noted NothingNoted;

extern "C"
    __attribute__((visibility("default"))) constinit thread_local pf_thread_head __pf_thread = {
        nullptr, StrayFrames, &NothingNoted};

// What abi.h tells the pass about footprints.
static_assert(sizeof(pf_noted_page) == sizeof(LiveFootprint));
static_assert(offsetof(pf_noted_page, number) == offsetof(LiveFootprint, Number));
static_assert(offsetof(pf_noted_page, to_bytes) == offsetof(LiveFootprint, ToInPart));
static_assert(offsetof(pf_noted_page, read_whole) == offsetof(LiveFootprint, ReadWhole));
static_assert(offsetof(pf_noted_page, written_whole) == offsetof(LiveFootprint, WrittenWhole));
static_assert(sizeof(pf_noted_bytes) == sizeof(LiveFootprint::Bytes));
static_assert(sizeof(pf_noted) <= sizeof(LiveFootprints) && PF_NOTED_BEHIND == sizeof(uint64_t));

void Thread::publishNow() {
  // Accesses that are recorded or counted must all be seen; and v2 and v1.5 alone have hits.
  bool IsEveryAccessWanted = recording() || TheOptions.stats;
  Mode M = TheOptions.checkMode();
  bool HasHits = M != Mode::VerifiedFTv1;
  Stamping.publish(State.now(), HasHits && !IsEveryAccessWanted);
  if (TouchedAt != State.now()) {
    TouchedAt = State.now();
    Recent->Checked.beginEpoch();
    if (Touched)
      Touched->clear();
  }
  bool TakesLocks = M == Mode::VerifiedFTv1 || M == Mode::VerifiedFTv15;
  IsCheckedShortly.store(!IsEveryAccessWanted && !TakesLocks &&
                             !IsUnchecked.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  // What it would note while it is alone is not wanted at all.
  bool HasNoted = Touched && !IsEveryAccessWanted && !isAlone();
  __pf_thread.noted = HasNoted ? reinterpret_cast<pf_noted *>(Touched) : &NothingNoted;
}

void Thread::setAlone(bool Is) {
  if (!Is && isAlone())
    Info->AloneUntil = State.now().clock();
  IsAlone.store(Is, std::memory_order_relaxed);
  bool IsNothingChecked = Is || TheOptions.checkMode() == Mode::Empty;
  IsUnchecked.store(IsNothingChecked && !recording() && !TheOptions.stats,
                    std::memory_order_relaxed);
}

bool Registry::isAlone(const Thread &T) {
  Locked Guard(Lock);
  if (Live != &T || T.NextLive)
    return false;
  for (const Retired &R : RetiredSlots)
    if (T.State.clock().get(R.Slot) < R.LastClock)
      return false;
  return true;
}

bool Registry::isKnownToAll(const Retired &R) {
  for (Thread *T = Live; T; T = T->NextLive) {
    Locked Guard(T->ClockLock);
    if (T->State.clock().get(R.Slot) < R.LastClock)
      return false;
  }
  return true;
}

uint32_t Registry::takeSlot(uint64_t &FirstClock) {
  // The oldest are the likeliest to be known to all; a few tries bound the cost of a thread.
  constexpr uint32_t Tries = 4;
  for (uint32_t I = 0; I < Tries && I < RetiredSlots.size(); ++I) {
    Retired R = RetiredSlots[I];
    if (R.LastClock < Epoch::MaxClock / 2 && isKnownToAll(R)) {
      RetiredSlots.removeUnordered(I);
      FirstClock = R.LastClock + 1;
      return R.Slot;
    }
  }
  FirstClock = 1;
  LastOfSlot.push(nullptr);
  return LastOfSlot.size() - 1;
}

Thread *Registry::create(Thread *Creator, Note Creation) {
  auto *Info = new (host::allocate(sizeof(ThreadInfo))) ThreadInfo();
  Locked Guard(Lock);
  Info->Slot = takeSlot(Info->FirstClock);
  Info->Number = Infos.size();
  Infos.push(Info);
  Info->Earlier = LastOfSlot[Info->Slot];
  LastOfSlot[Info->Slot] = Info;
  Info->Creator = Creator ? Creator->number() : 0;
  Info->Creation = Creation;
  auto *Known = static_cast<RecentWork *>(os::map(sizeof(RecentWork)));
  if (!Known)
    host::giveUp("cannot reserve address space for a thread; is it limited (ulimit -v)?");
  auto *T = new (host::allocate(sizeof(Thread))) Thread(Info, Info->FirstClock, Known);
  T->NextLive = Live;
  Live = T;
  return T;
}

void Registry::retire(Thread *T) {
  {
    Locked Guard(Lock);
    T->Info->IsFinished = true;
    RetiredSlots.push({T->Info->Slot, T->State.now().clock()});
    for (unsigned R = 0; R < NumRules; ++R)
      Fired[R] += T->State.timesFired(Rule(R));
    Commits += T->Commits;
    Noted += T->AccessesNoted;
    Alone += T->AccessesAlone;
    for (Thread **Link = &Live; *Link; Link = &(*Link)->NextLive)
      if (*Link == T) {
        *Link = T->NextLive;
        break;
      }
  }
  if (T->Frames)
    os::unmap(T->Frames, T->FrameBytes);
  os::unmap(T->Recent, sizeof(RecentWork));
  TheMemory.release(*T);
  T->Spares.giveBack();
  T->~Thread();
  host::release(T, sizeof(Thread));
}

Thread *Registry::findDead() {
  Locked Guard(Lock);
  for (Thread *T = Live; T; T = T->NextLive)
    if (T->IsDetached && T->Info->IsFinished && !os::threadExists(T->Info->SystemId))
      return T;
  return nullptr;
}

void Registry::giveHandle(Thread *T, uintptr_t Handle) {
  Locked Guard(Lock);
  // libc has given it anew: whoever had it is over and detached, or joined by someone who has not
  // come to say so yet.
  for (Thread *Earlier = Live; Earlier; Earlier = Earlier->NextLive)
    if (Earlier->Handle == Handle)
      Earlier->Handle = 0;
  T->Handle = Handle;
}

Thread *Registry::find(uintptr_t Handle) {
  Locked Guard(Lock);
  for (Thread *T = Live; T; T = T->NextLive)
    if (T->Handle == Handle)
      return T;
  return nullptr;
}

const ThreadInfo *Registry::infoOf(Epoch E) {
  Locked Guard(Lock);
  const ThreadInfo *Info = LastOfSlot[E.thread()];
  while (Info->Earlier && Info->FirstClock > E.clock())
    Info = Info->Earlier;
  return Info;
}

const ThreadInfo *Registry::infoOfNumber(uint32_t Number) {
  Locked Guard(Lock);
  return Infos[Number];
}

const ThreadInfo *Registry::localOwner(uintptr_t Address) {
  const size_t Bytes = os::programTlsBytes();
  Locked Guard(Lock);
  for (Thread *T = Live; T; T = T->NextLive)
    if (Address < T->LocalEnd && T->LocalEnd - Address <= Bytes)
      return T->Info;
  return nullptr;
}

const ThreadInfo *Registry::stackOwner(uintptr_t Address) {
  Locked Guard(Lock);
  for (Thread *T = Live; T; T = T->NextLive)
    if (Address - T->StackStart < T->StackBytes)
      return T->Info;
  return nullptr;
}

void Registry::keepOnly(Thread *Survivor) {
  // The others have not ended: they are not there. What they did stays as it was at the fork, and
  // nobody has learnt of it.
  for (Thread *T = Live; T; T = T->NextLive)
    if (T != Survivor) {
      T->Info->IsFinished = true;
      RetiredSlots.push({T->Info->Slot, T->State.now().clock()});
    }
  Live = Survivor;
  Survivor->NextLive = nullptr;
  Survivor->Info->SystemId = os::threadId();
}

uint64_t Registry::timesFired(Rule R) {
  Locked Guard(Lock);
  uint64_t Sum = Fired[unsigned(R)];
  for (Thread *T = Live; T; T = T->NextLive)
    Sum += T->State.timesFired(R);
  return Sum;
}

CommitCounts Registry::commits() {
  Locked Guard(Lock);
  CommitCounts Sum = Commits;
  for (Thread *T = Live; T; T = T->NextLive)
    Sum += T->Commits;
  return Sum;
}

uint64_t Registry::sumOf(uint64_t Thread::*Count, const uint64_t &OfThoseGone) {
  Locked Guard(Lock);
  uint64_t Sum = OfThoseGone;
  for (Thread *T = Live; T; T = T->NextLive)
    Sum += T->*Count;
  return Sum;
}

void rt::installThread(Thread *T, size_t StackBytes) {
  // A frame of the program takes at least as much as one of ours; what lies beyond cannot be
  // touched.
  constexpr size_t Guard = 4096;
  T->FrameBytes = ((StackBytes + 4095) & ~size_t(4095)) + Guard;
  T->Frames = static_cast<pf_frame *>(os::map(T->FrameBytes));
  if (!T->Frames)
    host::giveUp("cannot reserve address space for a thread's calls; is it limited (ulimit -v)?");
  os::protect(reinterpret_cast<char *>(T->Frames) + T->FrameBytes - Guard, Guard);
  T->LocalEnd = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
  __pf_thread.stack_top = T->Frames;
  __pf_thread.self = T;
  T->Spares.use(T->Inside);
  T->Info->SystemId = os::threadId();
  T->setAlone(T->isAlone());
  T->publishNow();
}
