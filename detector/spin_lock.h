//===- spin_lock.h - A lock for a few instructions ---------------------------===//
//
// The runtime's only kind of lock: constant-initialised, one word, and nothing of libc. What is
// done under one never waits for the program.
//
// Lock order, outermost first; two locks of one row are never held together:
//
//   Registry lock                       the list of threads; those who compare clocks go on to
//   Thread::ClockLock                   a thread's synchronization; its own thread may have a lock
//                                       of the next row: nobody else who takes it has one
//   SyncTable buckets, SyncObject::Lock one synchronization object, an atomic operation
//   Recorder lock                       the order of recorded events
//   Shadow page lock                    one page's granules
//   Heap lock, freed ranges             heap blocks
//   Intern tables, arena                memory for all of the above
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_SPIN_LOCK_H
#define PHOTOFINISH_DETECTOR_SPIN_LOCK_H

#include "detector/host.h"
#include "detector/thread_safety.h"

#include <atomic>
#include <cstdint>

namespace photofinish {

class PF_CAPABILITY("spin lock") SpinLock {
public:
  void lock() PF_ACQUIRE() PF_NO_ANALYSIS {
    // Acquire: sees everything that the last holder wrote.
    if (__builtin_expect(Held.exchange(1, std::memory_order_acquire), 0))
      lockSlowly();
  }
  void unlock() PF_RELEASE() PF_NO_ANALYSIS { Held.store(0, std::memory_order_release); }

private:
  __attribute__((noinline)) void lockSlowly() {
    for (unsigned Tries = 0; Held.exchange(1, std::memory_order_acquire);)
      while (Held.load(std::memory_order_relaxed))
        if (++Tries > 64)
          host::yield();
        else
          __builtin_ia32_pause();
  }

  std::atomic<uint32_t> Held{0};
};

class PF_SCOPED_CAPABILITY Locked {
public:
  explicit Locked(SpinLock &Lock) PF_ACQUIRE(Lock) : Lock(Lock) { Lock.lock(); }
  ~Locked() PF_RELEASE() { Lock.unlock(); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  SpinLock &Lock;
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_SPIN_LOCK_H
