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
  while (StopWanted.load(std::memory_order_relaxed)) {
    Gate.Inside.store(0, std::memory_order_release);
    os::wait(&StopWanted, 1);
    Gate.Inside.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

void rt::beforeFork(Entered &E) PF_NO_ANALYSIS {
  if (E.isIdle())
    return;
  uint32_t Expected = 0;
  while (!StopWanted.compare_exchange_weak(Expected, 1, std::memory_order_seq_cst)) {
    Expected = 0; // another thread forks, too
    waitForWorld(E.thread());
  }
  // Every thread either sees StopWanted when it enters next, or its Inside is seen below.
  os::barrierForAllThreads();
  for (;;) {
    TheRegistry.Lock.lock();
    bool IsOneInside = false;
    TheRegistry.forEachLive([&](Thread &T) {
      // Acquire: sees what the thread did while it was inside.
      IsOneInside |= &T != &E.thread() && T.Inside.load(std::memory_order_acquire);
    });
    if (!IsOneInside)
      return;
    TheRegistry.Lock.unlock(); // it may need the lock to get out
    os::yield();
  }
}

void rt::afterFork(Entered &E, bool InChild) PF_NO_ANALYSIS {
  if (E.isIdle())
    return;
  if (InChild) {
    TheRegistry.keepOnly(&E.thread());
    stopRecording();
    restartReports();
  }
  TheRegistry.Lock.unlock();
  StopWanted.store(0, std::memory_order_seq_cst);
  os::wake(&StopWanted, INT32_MAX);
}

// Start and end.

void rt::initialise() {
  if (const char *Given = os::environment("PHOTOFINISH_OPTIONS"))
    TheOptions.parse(Given);
  limitArena(TheOptions.memory_limit_mb << 20);
  TheContexts.initialise(TheOptions.max_contexts);
  TheLockSets.initialise();
  TheMemory.initialise(TheOptions.checkMode() == Mode::Empty);
  TheSyncTable.initialise();
  os::registerBarrier();
  Thread *Main = TheRegistry.create(nullptr, 0);
  TheRegistry.giveHandle(Main, uintptr_t(pthread_self()));
  Main->StackBytes = os::mainStackLimit();
  Main->StackStart = os::mainStackEnd() - Main->StackBytes;
  startRecording();
  installThread(Main, Main->StackBytes);
  Started.store(true, std::memory_order_relaxed);
  registerForkHandlers();
  registerExitHandler();
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
      T->State.learn(Other.State.clock());
    });
  }
  constexpr size_t FrameBytes = size_t(8) << 20;
  installThread(T, FrameBytes);
  return T;
}

int rt::finish(int ExitCode) {
  if (!Started.load(std::memory_order_relaxed) || IsFinished.exchange(true))
    return ExitCode;
  uint64_t Races;
  {
    Entered E(PF_FUNCTION_SITE("exit"));
    finishRecording();
    Races = racesFound();
    finishReports();
  }
  return Races && TheOptions.exitcode ? int(TheOptions.exitcode) : ExitCode;
}
