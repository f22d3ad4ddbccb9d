//===- signal_action.cpp - Handlers of the program, called through ours -------------------===//
//
// A handler is instrumented code: it enters the runtime. If the interrupted thread is inside,
// perhaps with a lock held, that cannot be. So the kernel calls a function of ours, which lets
// the handler run at once if the thread is outside. If it is inside, the signal is sent again,
// to the same thread and with the same siginfo, with all signals blocked from then on; when
// the thread leaves the runtime it unblocks them. The kernel does the rest: order, mask,
// alternate stack, restart of system calls and whatever else belongs to a handler are right
// because the handler is called in the usual way. A thread is never inside while it sleeps in
// a function of the program, so that nothing is interrupted later than it would have been.
//
// A fault (SIGSEGV and the like, caused by an instruction) cannot wait. Inside the runtime only
// the program's own atomic operations can fault. Then what their beginning has locked is given
// back while the handler runs, which may never come back, and taken again if it does.
//
//   SA_RESETHAND: the kernel would have reset the action before the signal is sent again. So it
//   is not told of it, and ours resets the action when it calls the handler.
//
// A signal that nobody handles may end the process with accesses that are not committed yet
// (slim_memory.h). Then the kernel has another function of ours where the program believes in the
// default action: it commits, and lets the default action follow.
//
// Several real-time signals of one number that were sent to one thread (not to the process) may
// change places if the first of them finds the thread inside: it is queued behind the others.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/signal_action.h"

#include "detector/spin_lock.h"
#include "runtime/intercept/atomic_entry.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/process.h"
#include "runtime/intercept/signal_mask.h"
#include "runtime/memory.h"
#include "runtime/sync_table.h"
#include "runtime/thread.h"
#include "runtime/world.h"

using namespace photofinish;
using namespace photofinish::rt;

namespace {

using SignalHandler = void(int, siginfo_t *, void *);

/// The program's action, where the kernel has ours. Written under ActionsLock; what a handler
/// needs of it is one word.
struct Action {
  std::atomic<SignalHandler *> Function{nullptr}; ///< null: it was to be called once, and has been
  bool TakesInfo = false;
  std::atomic<bool> IsOnce{false};
  struct sigaction Default = {}; ///< what the program has said, where it wants the default action
};

constexpr int NumSignals = 64;
constinit Action Actions[NumSignals + 1];
constinit SpinLock ActionsLock; // with signals blocked, because handlers may call sigaction

constexpr SignalSet Faults = signalBit(SIGSEGV) | signalBit(SIGBUS) | signalBit(SIGFPE) |
                             signalBit(SIGILL) | signalBit(SIGTRAP) | signalBit(SIGSYS);

/// They end the process by default; of the numbers behind them all do.
constexpr SignalSet Fatal = Faults | signalBit(SIGHUP) | signalBit(SIGINT) | signalBit(SIGQUIT) |
                            signalBit(SIGABRT) | signalBit(SIGUSR1) | signalBit(SIGUSR2) |
                            signalBit(SIGPIPE) | signalBit(SIGALRM) | signalBit(SIGTERM) |
                            signalBit(SIGSTKFLT) | signalBit(SIGXCPU) | signalBit(SIGXFSZ) |
                            signalBit(SIGVTALRM) | signalBit(SIGPROF) | signalBit(SIGIO) |
                            signalBit(SIGPWR) | (~SignalSet(0) << 33);

bool isWatched(int Signal) { return TheMemory.isDeferred() && Fatal & signalBit(Signal); }

/// Caused by the instruction that was interrupted, and not sent by anybody.
bool isFault(int Signal, const siginfo_t *Info) {
  return Faults & signalBit(Signal) && Info->si_code > 0;
}

// Waiting until the thread is outside.

/// The mask of the program, while all signals are blocked.
__attribute__((tls_model("initial-exec"))) constinit thread_local SignalSet MaskOutside = 0;
__attribute__((tls_model("initial-exec"))) constinit thread_local bool IsPutOff = false;

/// The mask that is restored when the handler returns: the kernel's part of it.
SignalSet &maskOf(void *Context) {
  return *reinterpret_cast<SignalSet *>(&static_cast<ucontext_t *>(Context)->uc_sigmask);
}

void unblockOutside() {
  SignalSet Mask = MaskOutside;
  IsPutOff = false;
  setSignalMask(Mask);
}

void sendAgain(int Signal, siginfo_t *Info) {
  // It fails while the user's queue is full, and then only for the moment.
  while (os::call(SYS_rt_tgsigqueueinfo, os::processId(), os::threadId(), Signal,
                  reinterpret_cast<long>(Info)) == -EAGAIN)
    os::yield();
}

} // namespace

void rt::putOffSignal(int Signal, siginfo_t *Info, void *Context) {
  blockSignals(ProgramsSignals);
  SignalSet &Mask = maskOf(Context);
  // Of several handlers that were to begin at once the innermost comes here first, with the masks
  // of all others in its own: what they have in common is the thread's.
  MaskOutside = IsPutOff ? MaskOutside & Mask : Mask;
  IsPutOff = true;
  deliverOnLeaving(unblockOutside);
  Mask |= (ProgramsSignals & ~Faults) | signalBit(Signal);
  sendAgain(Signal, Info);
}

namespace {

// Calling the handler.

/// An atomic operation of the program has faulted: outside of the runtime, until resumed.
class InterruptedAtomic {
public:
  void suspend(int Signal, void *Context) PF_NO_ANALYSIS {
    Thread &T = *static_cast<Thread *>(__pf_thread.self);
    for (; !T.Atomics.empty(); T.Atomics.pop()) {
      Start = T.Atomics.back()->Key; // they are locked in ascending order
      Bytes += AtomicBlock::Bytes;
      T.Atomics.back()->Lock.unlock();
    }
    T.Inside.store(0, std::memory_order_release);
    // What was put off comes now, unless the handler blocks it.
    if (T.OnLeaving) {
      T.OnLeaving = nullptr;
      IsPutOff = false;
      maskOf(Context) = MaskOutside;
      KernelAction A{};
      changeKernelAction(Signal, nullptr, &A);
      setSignalMask(MaskOutside | A.Mask | (A.Flags & SA_NODEFER ? 0 : signalBit(Signal)));
    }
  }
  void resume() {
    if (Bytes)
      __pf_atomic_begin(reinterpret_cast<void *>(Start), Bytes, PF_FUNCTION_SITE("signal handler"));
  }

private:
  uintptr_t Start = 0;
  uint64_t Bytes = 0;
};

/// The default action of a signal that ends the process, put off.
void onFatalSignal(int Signal, siginfo_t *Info, void *Context) {
  bool Inside = __pf_thread.self && isInside();
  if (Inside && !isFault(Signal, Info))
    return putOffSignal(Signal, Info, Context);
  constexpr KernelAction Default{};
  changeKernelAction(Signal, &Default, nullptr);
  if (!Inside)
    commitEverybodys();
  if (!isFault(Signal, Info)) // which comes again by itself
    sendAgain(Signal, Info);
}

struct sigaction fatalAction() {
  struct sigaction A = {};
  A.sa_sigaction = onFatalSignal;
  A.sa_flags = SA_SIGINFO | SA_ONSTACK;
  return A;
}

} // namespace
/// The kernel has what the program's default action is to be.
static void installDefault(int Signal);
namespace {

/// The handler of a signal whose action may be for one time only.
SignalHandler *takeHandler(int Signal) {
  Action &A = Actions[Signal];
  if (!A.IsOnce.load(std::memory_order_relaxed))
    return A.Function.load(std::memory_order_relaxed);
  SignalsBlocked Blocked;
  Locked Guard(ActionsLock);
  SignalHandler *Function = A.Function.load(std::memory_order_relaxed);
  if (Function && A.IsOnce.load(std::memory_order_relaxed)) {
    A.Function.store(nullptr, std::memory_order_relaxed);
    A.Default = {};
    installDefault(Signal);
  }
  return Function;
}

void onSignal(int Signal, siginfo_t *Info, void *Context) {
  // A thread that the runtime does not know yet is about to become known, by the handler.
  bool Inside = __pf_thread.self && isInside();
  if (Inside && !isFault(Signal, Info))
    return putOffSignal(Signal, Info, Context);
  SignalHandler *Function = takeHandler(Signal);
  if (!Function) // called before: by now the action is the default, or a new one
    return sendAgain(Signal, Info);
  InterruptedAtomic Atomic;
  if (Inside)
    Atomic.suspend(Signal, Context);
  // The interrupted function may be about to make its frame.
  pf_frame *Top = __pf_thread.stack_top;
  pf_frame Unfinished = *Top;
  int Error = errno;
  // acquire(signal) before the handler
  {
    Entered E(PF_FUNCTION_SITE("signal handler"));
    channelAcquired(E, channelFor(SignalChannel, uint64_t(Signal)));
  }
  errno = Error;
  Function(Signal, Info, Context);
  __pf_thread.stack_top = Top;
  *Top = Unfinished;
  Atomic.resume();
}

bool isHandler(const struct sigaction &A) {
  return A.sa_handler != SIG_DFL && A.sa_handler != SIG_IGN;
}

} // namespace

void rt::lockSignalActions() PF_NO_ANALYSIS { ActionsLock.lock(); }
void rt::unlockSignalActions() PF_NO_ANALYSIS { ActionsLock.unlock(); }

// release(signal) before the handler is installed
PF_INTERCEPT(int, sigaction, (int Signal, const struct sigaction *New, struct sigaction *Old)) {
  if (New && Signal > 0 && Signal <= NumSignals && isHandler(*New)) {
    Entered E(PF_FUNCTION_SITE("sigaction"), PF_CALLER);
    channelReleased(E, channelFor(SignalChannel, uint64_t(Signal)));
  }
  return setSignalAction(Signal, New, Old);
}

static void installDefault(int Signal) {
  struct sigaction Default = {};
  if (isWatched(Signal))
    Default = fatalAction();
  PF_REAL(sigaction)(Signal, &Default, nullptr);
}

int rt::setSignalAction(int Signal, const struct sigaction *New, struct sigaction *Old) {
  if (Signal <= 0 || Signal > NumSignals)
    return PF_REAL(sigaction)(Signal, New, Old);
  Action &A = Actions[Signal];
  SignalsBlocked Blocked;
  Locked Guard(ActionsLock);
  SignalHandler *FunctionBefore = A.Function.load(std::memory_order_relaxed);
  struct sigaction DefaultBefore = A.Default;
  bool TookInfo = A.TakesInfo, WasOnce = A.IsOnce.load(std::memory_order_relaxed);
  struct sigaction Ours, Before;
  // Default and ignored are the kernel's business; the entry stays for a signal that is on its way.
  bool Installs = New && isHandler(*New);
  if (Installs) {
    Ours = *New;
    Ours.sa_sigaction = onSignal;
    Ours.sa_flags = (New->sa_flags | SA_SIGINFO) & ~int(SA_RESETHAND);
    // Before the kernel has it: the handler may run at once.
    A.TakesInfo = New->sa_flags & SA_SIGINFO;
    A.IsOnce.store(New->sa_flags & int(SA_RESETHAND), std::memory_order_relaxed);
    A.Function.store(New->sa_sigaction, std::memory_order_relaxed);
  }
  bool IsDefault = New && New->sa_handler == SIG_DFL && isWatched(Signal);
  if (IsDefault)
    Ours = fatalAction();
  int Result = PF_REAL(sigaction)(Signal, Installs || IsDefault ? &Ours : New, &Before);
  if (Result != 0) {
    if (Installs) {
      A.TakesInfo = TookInfo;
      A.IsOnce.store(WasOnce, std::memory_order_relaxed);
      A.Function.store(FunctionBefore, std::memory_order_relaxed);
    }
    return Result;
  }
  if (IsDefault)
    A.Default = *New;
  if (Old) {
    *Old = Before;
    if (Before.sa_sigaction == onSignal) {
      Old->sa_sigaction = FunctionBefore;
      Old->sa_flags &= TookInfo ? ~0 : ~SA_SIGINFO;
      Old->sa_flags |= WasOnce ? int(SA_RESETHAND) : 0;
    } else if (Before.sa_sigaction == onFatalSignal) {
      *Old = DefaultBefore;
    }
  }
  return Result;
}

void rt::watchFatalSignals() {
  for (int Signal = 1; Signal <= NumSignals; ++Signal) {
    KernelAction Now{};
    if (!isWatched(Signal) || !changeKernelAction(Signal, nullptr, &Now) || Now.Handler)
      continue; // ignored, by whoever has started the program
    installDefault(Signal);
  }
}
