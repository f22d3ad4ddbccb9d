//===- process.cpp - fork and exit ---------------------------------------------------------===//
//
//   everything before fork in its thread -> the child;  the other threads are not there
//
// fork runs handlers of the program (pthread_atfork), which enter the runtime, so that its
// locks cannot be taken around the whole of fork. Ours is a handler, too, and the first to be
// registered: prepare handlers run in the reverse order, so that ours is the last before the
// fork; the others run in order, so that ours is the first after it.
//
// vfork is left alone. Its child runs in our memory until it calls exec or _exit, and must do
// hardly anything else; the parent sleeps meanwhile. It must not end the program for its parent:
// _exit looks at the process id. posix_spawn, system and popen do the same inside libc.
//
// At the end of the program reports are completed and the exit code may change. The handler
// for this is the first one registered, which makes it the last one to run. If the code is
// another, it calls exit again: libc then goes on with what is left to do. A static program's
// destructor functions are run by a handler of libc that was there before any of ours: there
// the handler only notes the code, and the end is the last of these functions.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/process.h"

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/thread.h"
#include "runtime/platform/os.h"
#include "runtime/world.h"

#include <new>

using namespace photofinish;
using namespace photofinish::rt;

// fork

namespace {

/// The Entered object of a thread that forks: made before and destroyed after it, by different
/// functions, in each of the two processes.
alignas(Entered) __attribute__((
    tls_model("initial-exec"))) constinit thread_local char ForkStorage[sizeof(Entered)] = {};
__attribute__((tls_model("initial-exec"))) constinit thread_local bool IsForking = false;

/// Whose end is the program's: a child of vfork is another process in the same memory.
std::atomic<int> ProcessId{0};

Entered &forking() { return *std::launder(reinterpret_cast<Entered *>(ForkStorage)); }

void prepareFork() {
  new (ForkStorage) Entered(PF_FUNCTION_SITE("fork"));
  IsForking = true;
  lockSignalActions();
  beforeFork(forking());
}

void forked(bool InChild) {
  if (InChild) {
    forgetTid();
    ProcessId.store(os::processId(), std::memory_order_relaxed);
  }
  afterFork(forking(), InChild);
  unlockSignalActions();
  IsForking = false;
  forking().~Entered();
}

} // namespace

void rt::registerForkHandlers() {
  pthread_atfork(prepareFork, [] { forked(false); }, [] { forked(true); });
}

// A fork that runs no handlers. In a static program fork itself calls it.
PF_INTERCEPT(pid_t, _Fork, ()) {
  if (IsForking)
    return PF_REAL(_Fork)();
  prepareFork();
  pid_t Child = PF_REAL(_Fork)();
  forked(Child == 0);
  return Child;
}

// exit

static void finishAtExit(int Code) {
  int NewCode = finish(Code);
  if (NewCode != Code)
    exit(NewCode);
}

#ifdef PF_STATIC
static constinit std::atomic<int> ExitCode{0};
static void onExit(int Code, void *) { ExitCode.store(Code, std::memory_order_relaxed); }
static void onFini() { finishAtExit(ExitCode.load(std::memory_order_relaxed)); }
// The section is sorted by number, and its functions are called last to first.
__attribute__((section(".fini_array.00000"), used)) static void (*LastFini)() = onFini;
#else
static void onExit(int Code, void *) { finishAtExit(Code); }
#endif

static int finishNow(int Code) {
  return os::processId() == ProcessId.load(std::memory_order_relaxed) ? finish(Code) : Code;
}

PF_INTERCEPT(void, _exit, (int Code)) {
  PF_REAL(_exit)(finishNow(Code));
  __builtin_unreachable();
}

PF_INTERCEPT(void, _Exit, (int Code)) {
  PF_REAL(_Exit)(finishNow(Code));
  __builtin_unreachable();
}

static std::atomic<int> QuickExitCode{0};

static void finishAtQuickExit(void *) {
  int Code = QuickExitCode.load(std::memory_order_relaxed); // of this thread
  int NewCode = finish(Code);
  if (NewCode != Code)
    os::exitProcess(NewCode); // quick_exit would do nothing else now
}

// acquire(quick exit) before its handlers run
PF_INTERCEPT(void, quick_exit, (int Code)) {
  {
    Entered E(PF_FUNCTION_SITE("quick_exit"), PF_CALLER);
    channelAcquired(E, channelFor(ExitChannel, 0));
  }
  QuickExitCode.store(Code, std::memory_order_relaxed);
  PF_REAL(quick_exit)(Code);
  __builtin_unreachable();
}

void rt::registerExitHandler() {
  ProcessId.store(os::processId(), std::memory_order_relaxed);
  callLastAtExit(onExit, nullptr);
  callLastAtQuickExit(finishAtQuickExit);
}
