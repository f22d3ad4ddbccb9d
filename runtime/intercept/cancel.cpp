//===- cancel.cpp - Asynchronous cancellation ------------------------------------------------===//
//
// A thread that allows asynchronous cancellation may be unwound at any instruction: also inside
// the runtime, with a lock held, because instrumented code is there most of the time. glibc
// cancels such a thread by a signal of its own. As soon as a thread of the program allows it,
// our handler of that signal stands before glibc's and treats it like any other signal that
// finds the thread inside (signal_action.cpp): it comes again when the thread leaves.
//
// Deferred cancellation needs nothing: it happens inside functions that wait, and a thread is
// not inside the runtime there.
//
//===----------------------------------------------------------------------===//

#include "detector/spin_lock.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signal_action.h"
#include "runtime/intercept/signal_mask.h"
#include "runtime/intercept/thread.h"

using namespace photofinish;
using namespace photofinish::rt;

namespace {

constexpr int CancelSignal = 32; // __SIGRTMIN: glibc's SIGCANCEL

constinit SpinLock InstallLock; // with signals blocked
bool IsInstalled = false;       // under InstallLock
constinit KernelAction Libc{};  // written before ours is installed

void onCancel(int Signal, siginfo_t *Info, void *Context) {
  if (__pf_thread.self && isInside())
    return putOffSignal(Signal, Info, Context);
  Libc.Handler(Signal, Info, Context);
}

void *waitForEnd(void *) {
  for (;;)
    pause();
}

/// glibc installs its handler when a thread is first cancelled: so that it does, one is.
void guardCancellation() {
  SignalsBlocked Blocked;
  Locked Guard(InstallLock);
  if (IsInstalled)
    return;
  pthread_t Victim;
  if (createUnseenThread(&Victim, waitForEnd) != 0)
    return;
  pthread_cancel(Victim);
  joinUnseenThread(Victim);
  if (!changeKernelAction(CancelSignal, nullptr, &Libc))
    return;
  KernelAction Ours = Libc;
  Ours.Handler = onCancel;
  IsInstalled = changeKernelAction(CancelSignal, &Ours, nullptr);
}

} // namespace

// No edge: POSIX does not list it among the functions that synchronize memory.
PF_INTERCEPT(int, pthread_setcanceltype, (int Type, int *Old)) {
  if (Type == PTHREAD_CANCEL_ASYNCHRONOUS)
    guardCancellation();
  return PF_REAL(pthread_setcanceltype)(Type, Old);
}
