//===- signal.cpp - Sending, waiting for and handling signals ------------------------------===//
//
//   kill(s), sigqueue(s), alarm, ... and the installation of the handler -> every later handler of
//   s kill(s), sigqueue(s), alarm, ...                                     -> every later sigwait
//   of s
//
// What a handler does it does as the thread that it interrupts: between those two nothing is
// concurrent. raise and what the kernel sends because of an instruction come to the thread
// itself, and need no edge. How handlers are called is in signal_action.cpp; here are the other
// functions that install one, each as glibc defines it, because glibc's call sigaction by an
// internal name.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signal_action.h"
#include "runtime/intercept/signal_mask.h"

using namespace photofinish;
using namespace photofinish::rt;

namespace {

void released(int Signal, const pf_site *Site, void *Caller) {
  if (Signal <= 0)
    return;
  Entered E(Site, Caller);
  channelReleased(E, channelFor(SignalChannel, uint64_t(Signal)));
}

void acquired(int Signal, const pf_site *Site, void *Caller) {
  Entered E(Site, Caller);
  channelAcquired(E, channelFor(SignalChannel, uint64_t(Signal)));
}

bool isOwnProcess(pid_t Process) { return Process == os::processId(); }
/// As kill understands it: 0 and negative numbers are groups.
bool mayMeanOwnProcess(pid_t Process) { return Process <= 0 || isOwnProcess(Process); }

/// Signals that siginterrupt has said this of: handlers that signal installs interrupt calls.
constinit std::atomic<SignalSet> Interrupting{0};

bool isSignal(int Signal) { return Signal > 0 && Signal <= 64; }

sighandler_t installed(int Signal, struct sigaction &New) {
  struct sigaction Old;
  return setSignalAction(Signal, &New, &Old) < 0 ? SIG_ERR : Old.sa_handler;
}

/// A handler that stays, and whose signal waits until it returns.
sighandler_t installBsd(int Signal, sighandler_t Handler) {
  if (Handler == SIG_ERR || !isSignal(Signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction New = {};
  New.sa_handler = Handler;
  sigaddset(&New.sa_mask, Signal);
  bool Interrupts = Interrupting.load(std::memory_order_relaxed) & signalBit(Signal);
  New.sa_flags = Interrupts ? 0 : SA_RESTART;
  return installed(Signal, New);
}

/// A handler for one time, which its own signal may interrupt.
sighandler_t installSysV(int Signal, sighandler_t Handler) {
  if (Handler == SIG_ERR || !isSignal(Signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction New = {};
  New.sa_handler = Handler;
  New.sa_flags = int(SA_RESETHAND) | SA_NODEFER;
  return installed(Signal, New);
}

} // namespace

// Installing a handler.

// release(signal) before the handler is installed
PF_INTERCEPT(sighandler_t, signal, (int Signal, sighandler_t Handler)) {
  released(Signal, PF_FUNCTION_SITE("signal"), PF_CALLER);
  return installBsd(Signal, Handler);
}

// release(signal) before the handler is installed
PF_INTERCEPT(sighandler_t, bsd_signal, (int Signal, sighandler_t Handler)) {
  released(Signal, PF_FUNCTION_SITE("bsd_signal"), PF_CALLER);
  return installBsd(Signal, Handler);
}

// release(signal) before the handler is installed
PF_INTERCEPT(sighandler_t, ssignal, (int Signal, sighandler_t Handler)) {
  released(Signal, PF_FUNCTION_SITE("ssignal"), PF_CALLER);
  return installBsd(Signal, Handler);
}

// release(signal) before the handler is installed
PF_INTERCEPT(sighandler_t, sysv_signal, (int Signal, sighandler_t Handler)) {
  released(Signal, PF_FUNCTION_SITE("sysv_signal"), PF_CALLER);
  return installSysV(Signal, Handler);
}

// What signal is called in programs that ask for X/Open's.
//
// release(signal) before the handler is installed
PF_INTERCEPT(sighandler_t, __sysv_signal, (int Signal, sighandler_t Handler)) {
  released(Signal, PF_FUNCTION_SITE("signal"), PF_CALLER);
  return installSysV(Signal, Handler);
}

// release(signal) before the handler is installed
PF_INTERCEPT(sighandler_t, sigset, (int Signal, sighandler_t Disposition)) {
  if (!isSignal(Signal)) {
    errno = EINVAL;
    return SIG_ERR;
  }
  released(Signal, PF_FUNCTION_SITE("sigset"), PF_CALLER);
  struct sigaction New = {}, Old;
  New.sa_handler = Disposition;
  bool IsHold = Disposition == SIG_HOLD;
  if (setSignalAction(Signal, IsHold ? nullptr : &New, &Old) < 0)
    return SIG_ERR;
  sigset_t Set, Before;
  sigemptyset(&Set);
  sigaddset(&Set, Signal);
  sigprocmask(IsHold ? SIG_BLOCK : SIG_UNBLOCK, &Set, &Before);
  return sigismember(&Before, Signal) ? SIG_HOLD : Old.sa_handler;
}

PF_INTERCEPT(int, siginterrupt, (int Signal, int Interrupts)) {
  int Result = PF_REAL(siginterrupt)(Signal, Interrupts);
  if (Result == 0 && Interrupts)
    Interrupting.fetch_or(signalBit(Signal), std::memory_order_relaxed);
  else if (Result == 0)
    Interrupting.fetch_and(~signalBit(Signal), std::memory_order_relaxed);
  return Result;
}

// Sending a signal.

// release(signal) before kill
PF_INTERCEPT(int, kill, (pid_t Process, int Signal)) {
  if (mayMeanOwnProcess(Process))
    released(Signal, PF_FUNCTION_SITE("kill"), PF_CALLER);
  return PF_REAL(kill)(Process, Signal);
}

// release(signal) before killpg
PF_INTERCEPT(int, killpg, (pid_t Group, int Signal)) {
  released(Signal, PF_FUNCTION_SITE("killpg"), PF_CALLER);
  return PF_REAL(killpg)(Group, Signal);
}

// release(signal) before tgkill
PF_INTERCEPT(int, tgkill, (pid_t Process, pid_t Tid, int Signal)) {
  if (isOwnProcess(Process))
    released(Signal, PF_FUNCTION_SITE("tgkill"), PF_CALLER);
  return PF_REAL(tgkill)(Process, Tid, Signal);
}

// release(signal) before pthread_kill
PF_INTERCEPT(int, pthread_kill, (pthread_t Thread, int Signal)) {
  released(Signal, PF_FUNCTION_SITE("pthread_kill"), PF_CALLER);
  return PF_REAL(pthread_kill)(Thread, Signal);
}

// release(signal) before sigqueue
PF_INTERCEPT(int, sigqueue, (pid_t Process, int Signal, const sigval Value)) {
  if (isOwnProcess(Process))
    released(Signal, PF_FUNCTION_SITE("sigqueue"), PF_CALLER);
  return PF_REAL(sigqueue)(Process, Signal, Value);
}

// release(signal) before pthread_sigqueue
PF_INTERCEPT(int, pthread_sigqueue, (pthread_t Thread, int Signal, const sigval Value)) {
  released(Signal, PF_FUNCTION_SITE("pthread_sigqueue"), PF_CALLER);
  return PF_REAL(pthread_sigqueue)(Thread, Signal, Value);
}

// release(SIGALRM) before alarm
PF_INTERCEPT(unsigned, alarm, (unsigned Seconds)) {
  released(SIGALRM, PF_FUNCTION_SITE("alarm"), PF_CALLER);
  return PF_REAL(alarm)(Seconds);
}

// release(SIGALRM) before ualarm
PF_INTERCEPT(useconds_t, ualarm, (useconds_t Delay, useconds_t Interval)) {
  released(SIGALRM, PF_FUNCTION_SITE("ualarm"), PF_CALLER);
  return PF_REAL(ualarm)(Delay, Interval);
}

// release(the timer's signal) before setitimer
PF_INTERCEPT(int, setitimer, (__itimer_which_t Which, const itimerval *New, itimerval *Old)) {
  int Signal = Which == ITIMER_REAL ? SIGALRM : Which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
  released(Signal, PF_FUNCTION_SITE("setitimer"), PF_CALLER);
  return PF_REAL(setitimer)(Which, New, Old);
}

// Waiting for a signal.

// acquire(signal) after sigwait
PF_INTERCEPT(int, sigwait, (const sigset_t *Set, int *Signal)) {
  int Result = PF_REAL(sigwait)(Set, Signal);
  if (Result == 0)
    acquired(*Signal, PF_FUNCTION_SITE("sigwait"), PF_CALLER);
  return Result;
}

// acquire(signal) after sigwaitinfo
PF_INTERCEPT(int, sigwaitinfo, (const sigset_t *Set, siginfo_t *Info)) {
  int Signal = PF_REAL(sigwaitinfo)(Set, Info);
  if (Signal > 0)
    acquired(Signal, PF_FUNCTION_SITE("sigwaitinfo"), PF_CALLER);
  return Signal;
}

// acquire(signal) after sigtimedwait, if one came in time
PF_INTERCEPT(int, sigtimedwait, (const sigset_t *Set, siginfo_t *Info, const timespec *Limit)) {
  int Signal = PF_REAL(sigtimedwait)(Set, Info, Limit);
  if (Signal > 0)
    acquired(Signal, PF_FUNCTION_SITE("sigtimedwait"), PF_CALLER);
  return Signal;
}
