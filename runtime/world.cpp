//===- world.cpp - The process as a whole --------------------------------===//

#include "runtime/world.h"

#include "runtime/base/arena.h"
#include "runtime/base/options.h"
#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/platform/os.h"
#include "runtime/recorder.h"
#include "runtime/report.h"
#include "runtime/sync_table.h"

#include <pthread.h>

using namespace photofinish;
using namespace photofinish::rt;

constinit std::atomic<bool> rt::Started{false};

// Instrumented objects refer to this name (abi.h).
extern "C" __attribute__((visibility("default"))) const char PF_VERSION_SYMBOL = 0;

// Stopping the world.

constinit std::atomic<uint32_t> rt::StopWanted{0};
static std::atomic<bool> IsFinished{false};

void rt::waitForWorld(ThreadGate &Gate) {
  uint32_t Depth = Gate.Inside.load(std::memory_order_relaxed);
  while (StopWanted.load(std::memory_order_relaxed)) {
    Gate.Inside.store(0, std::memory_order_release);
    os::wait(&StopWanted, 1);
    Gate.Inside.store(Depth, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

/// Until resumeWorld() no other thread is inside, and the registry's lock is held.
static void stopWorld(Thread &Stopper) PF_NO_ANALYSIS {
  uint32_t Expected = 0;
  while (!StopWanted.compare_exchange_weak(Expected, 1, std::memory_order_seq_cst)) {
    Expected = 0; // another thread stops it, too
    waitForWorld(Stopper);
  }
  // Every thread either sees StopWanted when it enters next, or its Inside is seen below.
  os::barrierForAllThreads();
  for (;;) {
    TheRegistry.Lock.lock();
    bool IsOneInside = false;
    TheRegistry.forEachLive([&](Thread &T) {
      // Acquire: sees what the thread did while it was inside.
      IsOneInside |= &T != &Stopper && T.Inside.load(std::memory_order_acquire);
    });
    if (!IsOneInside)
      return;
    TheRegistry.Lock.unlock(); // it may need the lock to get out
    os::yield();
  }
}

static void resumeWorld() PF_NO_ANALYSIS {
  TheRegistry.Lock.unlock();
  StopWanted.store(0, std::memory_order_seq_cst);
  os::wake(&StopWanted, INT32_MAX);
}

// Reports need the registry's lock: what is found while the world is stopped is told afterwards.
namespace {
struct Untold {
  const ThreadInfo *Who;
  FoundRaces Found;
};
} // namespace

/// Commits what others than E's thread have noted: of a range, or everything.
static void commitStopped(Entered &E, uintptr_t Start, size_t Bytes, Array<Untold> &Result) {
  TheRegistry.forEachLive([&](Thread &T) {
    if (&T == &E.thread())
      return;
    FoundRaces Found;
    if (Bytes)
      TheMemory.commitRange(T, Start, Bytes, Found);
    else
      TheMemory.commit(T, Found);
    if (!Found.empty())
      Result.push({T.Info, std::move(Found)});
  });
}

static void tell(const Array<Untold> &Races) {
  for (const Untold &U : Races)
    reportNoted(*U.Who, U.Found);
}

void rt::commitNoted(Entered &E) {
  if (!TheMemory.isDeferred())
    return;
  FoundRaces Found;
  TheMemory.commit(E.thread(), Found);
  reportNoted(*E.thread().Info, Found);
  haltIfWanted();
}

void rt::commitNotedOf(Thread &T) {
  FoundRaces Found;
  TheMemory.commit(T, Found);
  reportNoted(*T.Info, Found);
  haltIfWanted();
}

void rt::commitNotedBy(Entered &E, uintptr_t Start, size_t Bytes) PF_NO_ANALYSIS {
  if (!TheMemory.isDeferred() || !Bytes)
    return;
  FoundRaces Found;
  TheMemory.commitRange(E.thread(), Start, Bytes, Found);
  if (!Found.empty())
    reportNoted(*E.thread().Info, Found);
  // Others have nothing to say about memory that is rightly freed; whoever has raced.
  if (TheMemory.isTouchedByOthers(E.thread(), Start, Bytes)) {
    Array<Untold> Races;
    stopWorld(E.thread());
    commitStopped(E, Start, Bytes, Races);
    resumeWorld();
    tell(Races);
  }
  haltIfWanted();
}

void rt::tidyMemoryNow(Entered &E) PF_NO_ANALYSIS {
  stopWorld(E.thread());
  if (TheStamps.wantsCollection()) { // nobody else has done it
    // Before a word changes: whoever is about to compare one with his hits has none.
    TheRegistry.forEachLive([&](Thread &T) { T.Stamping.takeHits(); });
    Stamps::Collection C(TheStamps);
    TheMemory.collect(C);
    TheRegistry.forEachLive([&](Thread &T) { T.Stamping.forgetAll(); });
  }
  TheMemory.recycle();
  resumeWorld();
}

// Found as the process forked, for the parent to tell; written by the thread that has stopped the
// world.
[[clang::no_destroy]] static constinit Array<Untold> FoundAtFork;

void rt::beforeFork(Entered &E) PF_NO_ANALYSIS {
  if (E.isIdle())
    return;
  commitNoted(E);
  stopWorld(E.thread());
  if (TheMemory.isDeferred())
    commitStopped(E, 0, 0, FoundAtFork);
}

void rt::afterFork(Entered &E, bool InChild) PF_NO_ANALYSIS {
  if (E.isIdle())
    return;
  if (InChild) {
    TheRegistry.keepOnly(&E.thread());
    stopRecording();
    restartReports();
    FoundAtFork.clear();
  }
  Array<Untold> Races;
  Races.swap(FoundAtFork);
  resumeWorld();
  tell(Races);
}

// Start and end.

void rt::initialise() {
  if (const char *Given = os::environment("PHOTOFINISH_OPTIONS"))
    TheOptions.parse(Given);
  limitArena(TheOptions.memory_limit_mb << 20);
  TheContexts.initialise(TheOptions.max_contexts);
  TheLockSets.initialise();
  TheMemory.initialise(TheOptions.checkMode());
  TheSyncTable.initialise();
  os::registerBarrier();
  Thread *Main = TheRegistry.create(nullptr, 0);
  TheRegistry.giveHandle(Main, uintptr_t(pthread_self()));
  Main->StackBytes = os::mainStackLimit();
  Main->StackStart = os::mainStackEnd() - Main->StackBytes;
  startRecording();
  installThread(Main, Main->StackBytes);
  Main->setAlone(true);
  Started.store(true, std::memory_order_relaxed);
  registerForkHandlers();
  registerExitHandler();
  watchFatalSignals();
}

// The executable's own functions of this kind run before any constructor, those of libraries
// included.
extern "C" __attribute__((section(".preinit_array"), used)) void (*__pf_start)() = initialise;

// A thread that was not created through an interceptor (a library's own clone). Nothing is known
// about what came before it, so everything so far is taken to be ordered before it: rather a race
// missed there than a false alarm.
Thread *rt::attachThread() {
  Thread *T = TheRegistry.create(nullptr, 0);
  T->Info->WasForeign = true;
  T->IsDetached = true;
  {
    Locked Guard(TheRegistry.Lock);
    TheRegistry.forEachLive([&](Thread &Other) {
      if (&Other == T)
        return;
      Locked Clock(Other.ClockLock);
      Other.setAlone(false);
      T->State.learn(Other.State.clock());
    });
  }
  constexpr size_t FrameBytes = size_t(8) << 20;
  installThread(T, FrameBytes);
  return T;
}

static void commitEverything(Entered &E) {
  FoundRaces Found;
  TheMemory.commit(E.thread(), Found);
  Array<Untold> Races;
  stopWorld(E.thread());
  commitStopped(E, 0, 0, Races);
  resumeWorld();
  reportNoted(*E.thread().Info, Found);
  tell(Races);
}

void rt::commitEverybodys() {
  Entered E(PF_FUNCTION_SITE("signal"));
  if (!E.isIdle() && TheMemory.isDeferred() && !IsFinished.load(std::memory_order_relaxed))
    commitEverything(E);
}

int rt::finish(int ExitCode) {
  if (!Started.load(std::memory_order_relaxed) || IsFinished.exchange(true))
    return ExitCode;
  uint64_t Races;
  {
    Entered E(PF_FUNCTION_SITE("exit"));
    if (!E.isIdle() && TheMemory.isDeferred())
      commitEverything(E);
    finishRecording();
    Races = racesFound();
    finishReports();
  }
  return Races && TheOptions.exitcode ? int(TheOptions.exitcode) : ExitCode;
}
