//===- signal_mask.h - Signals, without libc -------------------------------------===//
//
// SignalsBlocked is for places where a handler of the program must not run although the thread
// is not inside the runtime: it is not known yet, or it holds a lock that the handler may ask for.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_SIGNAL_MASK_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_SIGNAL_MASK_H

#include "runtime/platform/libc.h"
#include "runtime/platform/os.h"

namespace photofinish::rt {

/// A set of signals as the kernel knows it: bit n-1 is signal n.
using SignalSet = uint64_t;
constexpr SignalSet signalBit(int Signal) { return SignalSet(1) << (Signal - 1); }
/// All but the two that glibc keeps for itself (cancellation, setuid in all threads): their
/// handlers are not instrumented.
constexpr SignalSet ProgramsSignals = ~(signalBit(32) | signalBit(33));

/// Returns what was blocked before.
inline SignalSet blockSignals(SignalSet Set) {
  SignalSet Before = 0;
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&Set),
           reinterpret_cast<long>(&Before), sizeof(SignalSet));
  return Before;
}

inline void setSignalMask(SignalSet Mask) {
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&Mask), 0, sizeof(SignalSet));
}

/// As the kernel knows an action.
struct KernelAction {
  void (*Handler)(int, siginfo_t *, void *);
  uint64_t Flags;
  void *Restorer;
  SignalSet Mask;
};

/// False if it fails. Either pointer may be null.
inline bool changeKernelAction(int Signal, const KernelAction *New, KernelAction *Old) {
  return os::call(SYS_rt_sigaction, Signal, reinterpret_cast<long>(New),
                  reinterpret_cast<long>(Old), sizeof(SignalSet)) == 0;
}

class SignalsBlocked {
public:
  SignalsBlocked() : Before(blockSignals(ProgramsSignals)) {}
  ~SignalsBlocked() { setSignalMask(Before); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

  const SignalSet Before;
};

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_SIGNAL_MASK_H
