//===- thread_life.cpp - How a thread begins, ends and is waited for -------------------===//
//
// POSIX and C11 threads are the same threads; thread.cpp and c11_threads.cpp call in here.
//
//   fork(u) -> begin(u) ... end(u) -> join(u)
//
// The beginning. A new thread may run, end and be joined before its creator returns from the
// real function, and anybody may join it as soon as either of them has told the handle. So
// the new thread waits until its creator has made the handle known. No handler of the
// program may run in a thread that the runtime does not know yet: it starts with signals
// blocked, as its creator has them at that time.
//
// The end. Destructors of thread-local objects and of keys are the program's code, too, and
// libc goes over the keys up to PTHREAD_DESTRUCTOR_ITERATIONS times. A key of our own is set
// anew until the last of these rounds; then the thread is over, whichever way it has taken:
// return, pthread_exit or cancellation.
//
//===----------------------------------------------------------------------===//

#include "detector/host.h"
#include "runtime/intercept/signal_mask.h"
#include "runtime/intercept/thread.h"
#include "runtime/platform/os.h"

#include <atomic>
#include <new>

using namespace photofinish;
using namespace photofinish::rt;

namespace {

__attribute__((tls_model("initial-exec"))) constinit thread_local int Tid = 0;
__attribute__((tls_model("initial-exec"))) constinit thread_local bool IsEndNoticed = false;

/// From the creator to the new thread, in the runtime's memory; the new thread releases it.
struct Start {
  Thread *T = nullptr;
  ThreadFunction Function{};
  const void *StackStart = nullptr;
  size_t StackBytes = 0;
  SignalSet Mask = 0;      ///< what the new thread is to block...
  bool RestoreMask = true; ///< ...unless its attributes have done that already
  std::atomic<uint32_t> IsKnown{0};
};

// The end of a thread.

/// A robust mutex is released by the death of its holder. The kernel finds those that a thread
/// holds in a list which the thread keeps for it.
void releaseRobustMutexes(Entered &E) {
  struct Entry {
    Entry *Next; // bit 0: a mutex with priority inheritance
  };
  struct Head {
    Entry List;
    long FutexOffset;
    Entry *Pending;
  };
  Head *Robust = nullptr;
  size_t Bytes = 0;
  if (os::call(SYS_get_robust_list, 0, reinterpret_cast<long>(&Robust),
               reinterpret_cast<long>(&Bytes)) < 0 ||
      !Robust)
    return;
  constexpr uintptr_t PriorityBit = 1;
  auto After = [](const Entry *At) {
    return reinterpret_cast<Entry *>(reinterpret_cast<uintptr_t>(At->Next) & ~PriorityBit);
  };
  constexpr long LockOffset = offsetof(pthread_mutex_t, __data.__lock);
  for (Entry *At = After(&Robust->List); At && At != &Robust->List; At = After(At))
    lockReleased(E, reinterpret_cast<char *>(At) + Robust->FutexOffset - LockOffset);
}

/// 0: no key yet; 1: somebody makes it; 2: it is there.
std::atomic<uint32_t> EndKeyState{0};
pthread_key_t EndKey;

void keyDestroyed(void *RoundsLeft) {
  uintptr_t Left = reinterpret_cast<uintptr_t>(RoundsLeft) - 1;
  if (Left) {
    pthread_setspecific(EndKey, reinterpret_cast<void *>(Left));
    return;
  }
  Entered E(PF_FUNCTION_SITE("end of the thread"));
  releaseRobustMutexes(E);
  threadEnds(E);
}

void makeEndKey() {
  uint32_t State = 0;
  if (EndKeyState.compare_exchange_strong(State, 1, std::memory_order_acquire)) {
    if (pthread_key_create(&EndKey, keyDestroyed) != 0)
      host::giveUp("the program has used up all keys for thread-specific data");
    // Release: whoever sees 2 sees the key.
    EndKeyState.store(2, std::memory_order_release);
    return;
  }
  while (EndKeyState.load(std::memory_order_acquire) != 2)
    os::yield();
}

// The beginning.

/// The runtime works on the program's stacks; a program that has counted the bytes it needs
/// has not counted ours.
constexpr size_t OurStackBytes = size_t(64) << 10;
constexpr size_t LargeStackBytes = size_t(1) << 20;

/// The attributes for the real function: Given, or Own with more stack.
const pthread_attr_t *withRoomForUs(const pthread_attr_t *Given, pthread_attr_t &Own) {
  void *Lowest = nullptr;
  size_t Bytes = 0;
  if (!Given || pthread_attr_getstack(Given, &Lowest, &Bytes) != 0)
    return Given;
  // Without a stack of the program's own the lowest byte is computed from an end at 0.
  bool IsProgramsOwn = reinterpret_cast<uintptr_t>(Lowest) + Bytes != 0;
  if (IsProgramsOwn || Bytes == 0 || Bytes >= LargeStackBytes)
    return Given;
  // Own shares what Given points to, for the duration of one call; it is never destroyed.
  Own = *Given;
  return pthread_attr_setstacksize(&Own, Bytes + OurStackBytes) == 0 ? &Own : Given;
}

bool isDetached(const pthread_attr_t *Attributes) {
  int State = PTHREAD_CREATE_JOINABLE;
  return Attributes && pthread_attr_getdetachstate(Attributes, &State) == 0 &&
         State == PTHREAD_CREATE_DETACHED;
}

bool setsMask(const pthread_attr_t *Attributes) {
  sigset_t Mask;
  return Attributes && pthread_attr_getsigmask_np(Attributes, &Mask) == 0;
}

/// The stack of a thread that has not begun to use it, with its thread-local memory.
void findStack(pthread_t Handle, Start &S) {
  pthread_attr_t Attributes;
  if (pthread_getattr_np(Handle, &Attributes) != 0)
    return;
  void *Lowest = nullptr;
  if (pthread_attr_getstack(&Attributes, &Lowest, &S.StackBytes) == 0)
    S.StackStart = Lowest;
  pthread_attr_destroy(&Attributes);
}

} // namespace

int rt::currentTid() {
  if (!Tid)
    Tid = os::threadId();
  return Tid;
}

void rt::forgetTid() { Tid = 0; }

void rt::noticeEndOfThread() {
  if (IsEndNoticed)
    return;
  makeEndKey();
  if (pthread_setspecific(EndKey, reinterpret_cast<void *>(PTHREAD_DESTRUCTOR_ITERATIONS)) != 0)
    host::giveUp("out of memory for thread-specific data");
  IsEndNoticed = true;
}

int rt::createThread(RealCreate Real, pthread_t *Handle, const pthread_attr_t *Given,
                     ThreadFunction Function, const pf_site *Site, void *Caller) {
  noticeEndOfThread(); // of the creator: the main thread is made by nobody
  pthread_attr_t Own;
  const pthread_attr_t *Attributes = withRoomForUs(Given, Own);
  SignalsBlocked Blocked;
  Start *S;
  {
    Entered E(Site, Caller);
    // libc stores the handle before the thread runs.
    writeRange(E, Handle, sizeof(*Handle));
    S = new (host::allocate(sizeof(Start))) Start();
    S->T = threadForked(E);
    S->Function = Function;
    S->Mask = Blocked.Before;
    S->RestoreMask = !setsMask(Attributes);
  }
  int Result = Real(Handle, Attributes, S);
  if (Result == 0)
    findStack(*Handle, *S);
  Entered E(Site, Caller);
  if (Result != 0) {
    threadForkFailed(E, S->T);
    host::release(S, sizeof(Start));
    return Result;
  }
  threadCreated(E, S->T, uintptr_t(*Handle));
  if (isDetached(Attributes))
    threadDetached(E, S->T);
  // Release: the thread sees all of S, which is its own from here on.
  S->IsKnown.store(1, std::memory_order_release);
  os::wake(&S->IsKnown, 1);
  return Result;
}

void *rt::runThread(void *Argument) {
  auto *S = static_cast<Start *>(Argument);
  while (!S->IsKnown.load(std::memory_order_acquire))
    os::wait(&S->IsKnown, 0);
  if (S->T) // null: the runtime has not started yet
    threadBegins(S->T, S->StackStart, S->StackBytes);
  ThreadFunction Function = S->Function;
  SignalSet Mask = S->Mask;
  bool RestoreMask = S->RestoreMask;
  {
    Entered E(PF_FUNCTION_SITE("beginning of the thread"));
    host::release(S, sizeof(Start));
  }
  noticeEndOfThread();
  if (RestoreMask)
    setSignalMask(Mask);
  if (Function.C11)
    return reinterpret_cast<void *>(intptr_t(Function.C11(Function.Argument)));
  return Function.Posix(Function.Argument);
}

// Waiting for it.

int rt::joinThread(JoinCall Call, const pf_site *Site, void *Caller) {
  Thread *T;
  {
    Entered E(Site, Caller);
    T = threadOf(uintptr_t(Call.Handle)); // afterwards the handle may be another thread's
  }
  int Result = Call.Join(Call);
  if (Result == 0) {
    Entered E(Site, Caller);
    if (T)
      threadJoined(E, T);
    if (Call.Result)
      writeRange(E, Call.Result, Call.ResultBytes);
  }
  return Result;
}

int rt::detachThread(int (*Real)(pthread_t), pthread_t Handle, const pf_site *Site, void *Caller) {
  Thread *T;
  {
    Entered E(Site, Caller);
    T = threadOf(uintptr_t(Handle));
  }
  int Result = Real(Handle);
  if (Result == 0 && T) {
    Entered E(Site, Caller);
    threadDetached(E, T);
  }
  return Result;
}
