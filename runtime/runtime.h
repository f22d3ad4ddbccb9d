//===- runtime.h - What an interceptor can tell the runtime -----------------===//
//
// Instrumented code enters the runtime through abi/entry_points.def, libc's functions
// through runtime/intercept/. Both say the same few things: this thread reads or writes
// this byte range at this site, this thread synchronizes, memory comes and goes, threads
// begin and end. Those are the functions below; what they mean is detector/'s business,
// where it is kept shadow/'s.
//
// Whoever calls them has entered: an Entered object is on the stack. While it is there,
// asynchronous signals wait (their handlers are instrumented code that would enter again,
// in the middle of a lock), so that it may never be there while the program's own code or
// a blocking function runs.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_RUNTIME_H
#define PHOTOFINISH_RUNTIME_RUNTIME_H

#include "abi/abi.h"
#include "detector/cell.h"
#include "shadow/elements.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {
// constinit: no wrapper around every use that would ask whether it has been initialised.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local pf_thread_head __pf_thread;
}

namespace photofinish::rt {

class Thread;

/// Starts the runtime: maps the shadow, reads the options, makes the calling thread thread 0.
/// From .preinit_array. What the program's libraries do before that is not seen.
void initialise();
/// Written once, by initialise(). Until then thread-local memory may not even be there.
extern std::atomic<bool> Started;

/// The place of a libc function that accesses memory or synchronizes on behalf of its caller.
#define PF_FUNCTION_SITE(Name)                                                                     \
  ([]() -> const pf_site * {                                                                       \
    static constexpr ::photofinish::rt::FunctionSite Site(Name);                                   \
    return &Site.Site;                                                                             \
  }())
/// A pf_site refers to its strings by distance, which a constant expression cannot compute:
/// this one has the name right behind it.
struct FunctionSite {
  pf_site Site;
  char Name[40];
  template <size_t N> constexpr explicit FunctionSite(const char (&Text)[N]) : Site(), Name() {
    static_assert(N <= sizeof(Name), "the name of the function is too long");
    Site.function = int32_t(sizeof(pf_site) - offsetof(pf_site, function));
    for (size_t I = 0; I < N; ++I)
      Name[I] = Text[I];
  }
};

/// A thread that is inside the runtime. Nests. Before initialise() it is idle: whatever is
/// told to an idle one does nothing.
class Entered {
public:
  /// At a site of the program.
  explicit inline Entered(const pf_site *Site);
  /// In an interceptor: Site is PF_FUNCTION_SITE, ReturnAddress where it was called from.
  Entered(const pf_site *Site, void *ReturnAddress);
  /// Delivers the signals that have come in the meantime.
  inline ~Entered();
  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;

  bool isIdle() const { return !T; }
  Thread &thread() { return *T; }
  const pf_site *site() const { return Site; }

private:
  Thread *T; ///< null if idle
  const pf_site *Site;
  bool HasFrame = false;
};
#define PF_CALLER __builtin_extract_return_addr(__builtin_return_address(0))

// Accesses.

void accessElements(Entered &E, const Elements &Some, AccessKind Kind);
void readRange(Entered &E, const void *Start, size_t Bytes);
void writeRange(Entered &E, const void *Start, size_t Bytes);
/// Is T alone (thread.h), so that its access need not be checked? Counts it then.
bool isInNoRace(Thread &T, uintptr_t Address, size_t Bytes);

// Synchronization. An object is known by its address, and by what it is; it begins with its
// first use. A release is told before the real one, an acquire after it.

enum class LockKind : uint8_t { Mutex, RwLock, RwLockShared, SpinLock };

/// A lock that its holder takes again (a recursive mutex) counts: only the last release releases.
void lockAcquired(Entered &E, const void *Lock, LockKind Kind);
/// Of a thread that does not hold it, too: then the next acquire learns from it all the same.
void lockReleased(Entered &E, const void *Lock);
/// Waiting on a condition gives a recursive mutex back at once, however often it is held: the
/// count to take it again with.
unsigned lockReleasedWholly(Entered &E, const void *Lock);
void lockAcquiredAgain(Entered &E, const void *Lock, LockKind Kind, unsigned Count);
/// The lock is gone, or newly made: what comes at its address has nothing to do with it.
void lockForgotten(Entered &E, const void *Lock);

/// A channel orders everything before a release before everything after a later acquire:
///   release: S.V := S.V ⊔ St.V, St.V := inc_t(St.V)      acquire: St.V := St.V ⊔ S.V
/// Semaphores, once-objects, guards, pipes and the like are channels.
using Channel = uintptr_t;
inline Channel channelAt(const void *Object) { return reinterpret_cast<uintptr_t>(Object); }
/// For what has no address: Kind tells families apart (0 to 2^15-1), Number the members (0 to
/// 2^28-1).
inline Channel channelFor(uint32_t Kind, uint64_t Number) {
  return uintptr_t(1) << 47 | uintptr_t(Kind) << 32 | Number << 4;
}
enum ChannelKind : uint32_t {
  PipeChannel = 1,   ///< by a hash of device and inode
  SocketChannel = 2, ///< by a hash of the two ends
  FdChannel = 3,     ///< by descriptor
  SignalChannel = 4, ///< by signal number
  ExitChannel = 5,   ///< atexit handlers
  ThreadChannel = 6,
};
void channelReleased(Entered &E, Channel C);
void channelAcquired(Entered &E, Channel C);
void channelForgotten(Entered &E, Channel C);

/// Returns the round, which the departure names again.
uint64_t barrierArrived(Entered &E, const void *Barrier);
void barrierDeparted(Entered &E, const void *Barrier, uint64_t Round);
void barrierForgotten(Entered &E, const void *Barrier);

// Memory.

/// A new heap block; the stack is remembered. Its bytes have no history.
void blockAllocated(Entered &E, const void *Block, size_t Bytes);
/// Before a block is given back: a write of all of it. False if no such block is known.
bool blockFreed(Entered &E, const void *Block);
/// The size that was asked for; 0 if no such block is known.
size_t blockSize(const void *Block);
/// Fresh memory from the system.
void memoryMapped(Entered &E, const void *Start, size_t Bytes);
/// Before it is given back: a write of all of it that has been touched; its shadow goes.
void memoryUnmapped(Entered &E, const void *Start, size_t Bytes);

// Threads.

/// Before a thread is created; it inherits what its creator knows.
Thread *threadForked(Entered &E);
/// It was not created after all.
void threadForkFailed(Entered &E, Thread *Child);
/// The creator learns the handle; joins find the thread by it (Handle is a pthread_t).
void threadCreated(Entered &E, Thread *Child, uintptr_t Handle);
/// The first thing that a thread does, before it enters. Its stack (with thread-local memory)
/// is fresh memory.
void threadBegins(Thread *T, const void *StackStart, size_t StackBytes);
/// The last thing that is seen of a thread: its stack is given back. It may still enter, though:
/// destructors of thread-local objects may run even later.
void threadEnds(Entered &E);
/// The thread of a handle, or null. Before the real join, because the handle is dead afterwards.
Thread *threadOf(uintptr_t Handle);
/// After the real join has succeeded.
void threadJoined(Entered &E, Thread *Child);
/// Nobody will join it.
void threadDetached(Entered &E, Thread *Child);
void threadNamed(Entered &E, uintptr_t Handle, const char *Name);

// Accesses that were noted and not yet checked.

/// Those of E's thread, before its clock changes.
void commitNoted(Entered &E);
/// Those of a thread that is over.
void commitNotedOf(Thread &T);
/// Everybody's to a range, before the memory changes hands.
void commitNotedBy(Entered &E, uintptr_t Start, size_t Bytes);
// The process.

/// Before fork: waits until no other thread is inside the runtime, so that the child gets no lock
/// that is held by a thread it has not got. E lives until after the fork.
void beforeFork(Entered &E);
/// After it, in both processes.
void afterFork(Entered &E, bool InChild);
/// The program is over: says what has been found, returns the exit code to use. Once.
int finish(int ExitCode);
/// How many races have been reported so far.
uint64_t racesFound();

// Signals, for intercept/signal.cpp.

/// Is the calling thread inside the runtime? Then a handler has to wait.
bool isInside();
/// Calls Deliver(thread-private storage) when the thread leaves the runtime, once.
void deliverOnLeaving(void (*Deliver)());

} // namespace photofinish::rt

#include "runtime/entered.h" // the bodies of Entered, for every check runs through them

#endif // PHOTOFINISH_RUNTIME_RUNTIME_H
