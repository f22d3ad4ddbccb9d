//===- entered.h - Going in and out of the runtime -----------------------===//
//
// Every check that is not a hit enters and leaves: both are a few instructions, inlined. What
// they share with the rest of the runtime is at the beginning of Thread.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_ENTERED_H
#define PHOTOFINISH_RUNTIME_ENTERED_H

#include "runtime/runtime.h"

namespace photofinish::rt {

/// What entering and leaving need of a thread.
struct ThreadGate {
  std::atomic<uint32_t> Inside{0}; ///< how many Entered objects there are; others wait for 0
  /// Its plain accesses are neither checked nor counted (Thread::setAlone).
  std::atomic<bool> IsUnchecked{false};
  /// They need not be seen one by one, and nobody takes locks for them.
  std::atomic<bool> IsCheckedShortly{false};
  void (*OnLeaving)() = nullptr;
};

/// True while somebody waits for all threads to be outside (world.h).
extern std::atomic<uint32_t> StopWanted;

/// The calling thread is none that we know: makes it one.
Thread *attachThread();
/// Leaves, waits until the world goes on, and enters again.
void waitForWorld(ThreadGate &Gate);

inline Entered::Entered(const pf_site *Site) : T(nullptr), Site(Site) {
  // Relaxed: set before the program has a second thread.
  if (!Started.load(std::memory_order_relaxed))
    return;
  T = static_cast<Thread *>(__pf_thread.self);
  if (__builtin_expect(!T, false))
    T = attachThread();
  ThreadGate &Gate = *reinterpret_cast<ThreadGate *>(T);
  // Relaxed, and in program order: whoever stops the world sees to the rest (world.cpp).
  uint32_t Depth = Gate.Inside.load(std::memory_order_relaxed);
  Gate.Inside.store(Depth + 1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (__builtin_expect(!Depth && StopWanted.load(std::memory_order_relaxed), false))
    waitForWorld(Gate);
}

inline Entered::~Entered() {
  if (!T)
    return;
  if (HasFrame)
    --__pf_thread.stack_top;
  ThreadGate &Gate = *reinterpret_cast<ThreadGate *>(T);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  uint32_t Depth = Gate.Inside.load(std::memory_order_relaxed) - 1;
  // Release: who waits for the thread to be outside sees what it did inside.
  Gate.Inside.store(Depth, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (__builtin_expect(!Depth && Gate.OnLeaving, false)) {
    auto *Deliver = Gate.OnLeaving;
    Gate.OnLeaving = nullptr;
    Deliver();
  }
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_ENTERED_H
