//===- barrier.cpp - Barriers -----------------------------------------------------------===//
//
//   every arrive(b) of a round -> every depart(b) of the same round
//
// Which round an arrival belongs to is decided inside the barrier. If more threads use one
// than it waits for, the order in which they tell us that they arrive need not be the order
// in which they do. So a barrier of one process is not libc's but the one below, in the
// object's own memory: the arrival and its telling are one step. The last one to arrive also
// departs in that step, which closes the round: whoever comes next belongs to the next one.
//
// A barrier that processes share stays libc's: the other process may know no other.
//
//===----------------------------------------------------------------------===//

#include "detector/spin_lock.h"
#include "runtime/intercept/interpose.h"
#include "runtime/platform/os.h"

#include <new>

using namespace photofinish;
using namespace photofinish::rt;

namespace {

class Barrier {
public:
  explicit Barrier(uint32_t Threads) : Threads(Threads) {}

  /// The barrier in an object of the program; null if it is libc's.
  static Barrier *in(pthread_barrier_t *Object) {
    auto *B = reinterpret_cast<Barrier *>(Object);
    return B->Mark == OurMark ? B : nullptr;
  }
  static void leaveToLibc(pthread_barrier_t *Object) {
    reinterpret_cast<Barrier *>(Object)->Mark = 0;
  }
  /// True for one thread of each round.
  bool wait(const pf_site *Site, void *Caller);
  /// Waits for those who are leaving.
  void destroy();

private:
  /// libc's barrier ends before the mark. The value is no likely content of memory.
  static constexpr uint64_t OurMark = UINT64_C(0x9f0705f1712b4221);

  SpinLock Lock;                     // held inside the runtime only: no signal comes in between
  uint32_t Threads;                  // constant
  uint32_t Arrived = 0;              // under Lock; in the round that fills up
  std::atomic<uint32_t> Round{0};    // written under Lock; what the others sleep on
  std::atomic<uint32_t> Sleepers{0}; // who may still look at the object
  uint64_t Mark = OurMark;
};

static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));
static_assert(alignof(Barrier) <= alignof(pthread_barrier_t));

bool Barrier::wait(const pf_site *Site, void *Caller) {
  uint32_t MyRound;
  uint64_t ToldRound;
  {
    Entered E(Site, Caller);
    Locked Guard(Lock);
    MyRound = Round.load(std::memory_order_relaxed);
    ToldRound = barrierArrived(E, this);
    if (++Arrived == Threads) {
      barrierDeparted(E, this, ToldRound);
      Arrived = 0;
      // Release: whoever sees the next round sees what came before this one was complete.
      Round.store(MyRound + 1, std::memory_order_release);
      // Still under the lock: afterwards the barrier may be destroyed.
      os::wake(&Round, INT32_MAX);
      return true;
    }
    Sleepers.fetch_add(1, std::memory_order_relaxed); // ordered by the lock
  }
  while (Round.load(std::memory_order_acquire) == MyRound)
    os::wait(&Round, MyRound);
  {
    Entered E(Site, Caller);
    barrierDeparted(E, this, ToldRound);
  }
  // Release: the last look at the object; destroy waits for it.
  Sleepers.fetch_sub(1, std::memory_order_release);
  return false;
}

void Barrier::destroy() {
  while (Sleepers.load(std::memory_order_acquire))
    os::yield();
  Lock.lock(); // of the last one of all, who may not have let go of it yet
  Mark = 0;
  Lock.unlock();
}

} // namespace

// arrive(b) before wait(b), depart(b) after it
PF_INTERCEPT(int, pthread_barrier_wait, (pthread_barrier_t * Object)) {
  const pf_site *Site = PF_FUNCTION_SITE("pthread_barrier_wait");
  if (Barrier *B = Barrier::in(Object))
    return B->wait(Site, PF_CALLER) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
  uint64_t Round;
  {
    Entered E(Site, PF_CALLER);
    Round = barrierArrived(E, Object);
  }
  int Result = PF_REAL(pthread_barrier_wait)(Object);
  Entered E(Site, PF_CALLER);
  barrierDeparted(E, Object, Round);
  return Result;
}

PF_INTERCEPT(int, pthread_barrier_init,
             (pthread_barrier_t * Object, const pthread_barrierattr_t *Attributes,
              unsigned Threads)) {
  int Shared = PTHREAD_PROCESS_PRIVATE;
  if (Attributes)
    pthread_barrierattr_getpshared(Attributes, &Shared);
  // libc also judges the arguments.
  int Result = PF_REAL(pthread_barrier_init)(Object, Attributes, Threads);
  if (Result != 0)
    return Result;
  {
    Entered E(PF_FUNCTION_SITE("pthread_barrier_init"), PF_CALLER);
    barrierForgotten(E, Object);
  }
  if (Shared == PTHREAD_PROCESS_PRIVATE)
    new (Object) Barrier(Threads);
  else
    Barrier::leaveToLibc(Object);
  return 0;
}

PF_INTERCEPT(int, pthread_barrier_destroy, (pthread_barrier_t * Object)) {
  int Result = 0;
  if (Barrier *B = Barrier::in(Object))
    B->destroy();
  else
    Result = PF_REAL(pthread_barrier_destroy)(Object);
  if (Result == 0) {
    Entered E(PF_FUNCTION_SITE("pthread_barrier_destroy"), PF_CALLER);
    barrierForgotten(E, Object);
  }
  return Result;
}
