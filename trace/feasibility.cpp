//===- feasibility.cpp - Which traces can have happened -------------------===//
//
// One function per row of the "feasible when" column of docs/traces.md. Each first
// decides, and only then changes the state, so that a refusal changes nothing.
//
// Almost all operations of a trace are accesses, which are feasible whenever their
// thread may run at all: for them a check is one look at the thread's phase.
//
//===----------------------------------------------------------------------===//

#include "trace/feasibility.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <vector>

using namespace photofinish;

namespace {

enum class Phase : uint8_t {
  Unborn,   ///< neither forked nor seen
  Forked,   ///< forked, but has done nothing yet
  Running,  ///< has done something and may go on
  Waiting,  ///< between wait and wake
  Arrived,  ///< between arrive and depart
  Exited,   ///< has done exit
  Finished, ///< was joined
};

struct ThreadState {
  Phase Now = Phase::Unborn;
  bool HasStarted = false; ///< began with start, so that a join needs its exit
  ThreadId JoinedBy = 0;   ///< if Finished
  uint32_t NumLocks = 0;   ///< held in any way
  uint32_t Object = 0;     ///< condition if Waiting, barrier if Arrived
  uint32_t Lock = 0;       ///< to be had again, if Waiting
};

struct LockState {
  bool IsExclusive = false;
  ThreadId Owner = 0; ///< if IsExclusive
  llvm::SmallVector<ThreadId, 2> Readers;
};

/// Names for messages.
struct Names {
  const Operation &Op;
  const SymbolTable &Symbols;

  std::string thread(uint64_t Id) const { return Symbols.name(NameKind::Thread, uint32_t(Id)); }
  std::string self() const { return thread(Op.Thread); }
  std::string lock(uint32_t Id) const { return "lock " + Symbols.name(NameKind::Lock, Id); }
  std::string condition(uint32_t Id) const {
    return "condition " + Symbols.name(NameKind::Condition, Id);
  }
  std::string barrier(uint32_t Id) const {
    return "barrier " + Symbols.name(NameKind::Barrier, Id);
  }
  std::string memory() const { return Symbols.describe(Op.Target); }
};

//===----------------------------------------------------------------------===//
// Messages: what cannot have happened, one function each
//===----------------------------------------------------------------------===//

std::string runsAfterJoin(const Names &N, ThreadId JoinedBy) {
  return N.self() + " runs after " + N.thread(JoinedBy) + " joined it";
}
std::string runsAfterExit(const Names &N) { return N.self() + " runs after its exit"; }
std::string runsWhileWaiting(const Names &N, const ThreadState &T) {
  return N.self() + " does something else while it waits on " + N.condition(T.Object) + " with " +
         N.lock(T.Lock);
}
std::string runsInsideBarrier(const Names &N, const ThreadState &T) {
  return N.self() + " does something else while it is inside " + N.barrier(T.Object);
}
std::string startsLate(const Names &N) { return N.self() + " starts after its first operation"; }
std::string exitsWithLocks(const Names &N, uint32_t NumLocks) {
  return N.self() + " exits while it holds " + std::to_string(NumLocks) +
         (NumLocks == 1 ? " lock" : " locks");
}
std::string acquiresOwnLock(const Names &N, uint32_t Lock) {
  return N.self() + " acquires " + N.lock(Lock) + ", which it holds already";
}
std::string acquiresHeldLock(const Names &N, uint32_t Lock, ThreadId Holder) {
  return N.self() + " acquires " + N.lock(Lock) + ", which " + N.thread(Holder) + " holds";
}
std::string wakesWithHeldLock(const Names &N, uint32_t Lock, ThreadId Holder) {
  return N.self() + " wakes with " + N.lock(Lock) + ", which " + N.thread(Holder) + " holds";
}
std::string releasesForeignLock(const Names &N, uint32_t Lock) {
  return N.self() + " releases " + N.lock(Lock) + ", which it does not hold";
}
std::string releasesSharedLock(const Names &N, uint32_t Lock) {
  return N.self() + " releases " + N.lock(Lock) + ", which it holds shared: rul gives it back";
}
std::string unlocksUnsharedLock(const Names &N, uint32_t Lock) {
  return N.self() + " gives back " + N.lock(Lock) + ", which it does not hold shared";
}
std::string forksItself(const Names &N) { return N.self() + " forks itself"; }
std::string forksTwice(const Names &N) {
  return N.self() + " forks " + N.thread(N.Op.Target) + ", which was forked before";
}
std::string forksRunning(const Names &N) {
  return N.self() + " forks " + N.thread(N.Op.Target) + ", which has run already";
}
std::string joinsItself(const Names &N) { return N.self() + " joins itself"; }
std::string joinsUnseen(const Names &N) {
  return N.self() + " joins " + N.thread(N.Op.Target) + ", which has done nothing yet";
}
std::string joinsRunning(const Names &N) {
  return N.self() + " joins " + N.thread(N.Op.Target) + ", which is still running";
}
std::string waitsWithoutLock(const Names &N) {
  return N.self() + " waits with " + N.lock(N.Op.Lock) + ", which it does not hold exclusively";
}
std::string wakesWithoutWait(const Names &N) {
  return N.self() + " wakes, but does not wait on " + N.condition(uint32_t(N.Op.Target)) +
         " with " + N.lock(N.Op.Lock);
}
std::string departsWithoutArrival(const Names &N) {
  return N.self() + " departs from " + N.barrier(uint32_t(N.Op.Target)) +
         ", at which it has not arrived";
}
std::string allocatesNothing(const Names &N) {
  return N.self() + " allocates 0 bytes at " + N.memory();
}
std::string allocatesPastEnd(const Names &N) {
  return N.self() + " allocates " + std::to_string(N.Op.Size) + " bytes at " + N.memory() +
         ", past the end of the address space";
}
std::string allocatesLiveMemory(const Names &N, uint64_t Start, uint64_t Size) {
  return N.self() + " allocates " + std::to_string(N.Op.Size) + " bytes at " + N.memory() +
         ", which overlap the live allocation of " + std::to_string(Size) + " bytes at " +
         N.Symbols.describe(Start);
}
std::string freesNoAllocation(const Names &N) {
  return N.self() + " frees " + N.memory() + ", where no live allocation starts";
}
std::string freesWrongSize(const Names &N, uint64_t Size) {
  return N.self() + " frees " + std::to_string(N.Op.Size) + " bytes at " + N.memory() + ", where " +
         std::to_string(Size) + " are allocated";
}

using Refusal = std::optional<std::string>;

} // namespace

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

struct FeasibilityChecker::State {
  std::vector<ThreadState> Threads;
  std::vector<LockState> Locks;
  std::map<uint64_t, uint64_t> Allocations; ///< start -> size of each live one

  ThreadState &thread(uint64_t Id) { return at(Threads, Id); }
  LockState &lock(uint64_t Id) { return at(Locks, Id); }

  Refusal mayRun(const Names &N);
  Refusal apply(const Names &N);
  Refusal acquire(const Names &N);
  Refusal release(const Names &N);
  Refusal readLock(const Names &N);
  Refusal readUnlock(const Names &N);
  Refusal fork(const Names &N);
  Refusal join(const Names &N);
  Refusal begin(const Names &N);
  Refusal end(const Names &N);
  Refusal wait(const Names &N);
  Refusal wake(const Names &N);
  Refusal arrive(const Names &N);
  Refusal depart(const Names &N);
  Refusal allocate(const Names &N);
  Refusal free(const Names &N);

private:
  /// Ids are dense, so that this grows with the number of names only.
  template <typename T> static T &at(std::vector<T> &Table, uint64_t Id) {
    if (Id >= Table.size())
      Table.resize(Id + 1);
    return Table[Id];
  }
};

/// May the thread do anything but wake or depart?
Refusal FeasibilityChecker::State::mayRun(const Names &N) {
  const ThreadState &T = thread(N.Op.Thread);
  switch (T.Now) {
  case Phase::Unborn:
  case Phase::Forked:
  case Phase::Running:
    return std::nullopt;
  case Phase::Waiting:
    return runsWhileWaiting(N, T);
  case Phase::Arrived:
    return runsInsideBarrier(N, T);
  case Phase::Exited:
    return runsAfterExit(N);
  case Phase::Finished:
    return runsAfterJoin(N, T.JoinedBy);
  }
  return std::nullopt;
}

Refusal FeasibilityChecker::State::acquire(const Names &N) {
  LockState &L = lock(N.Op.Target);
  uint32_t Id = uint32_t(N.Op.Target);
  if ((L.IsExclusive && L.Owner == N.Op.Thread) || llvm::is_contained(L.Readers, N.Op.Thread))
    return acquiresOwnLock(N, Id);
  if (L.IsExclusive)
    return acquiresHeldLock(N, Id, L.Owner);
  if (!L.Readers.empty())
    return acquiresHeldLock(N, Id, L.Readers.front());
  L.IsExclusive = true;
  L.Owner = N.Op.Thread;
  ++thread(N.Op.Thread).NumLocks;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::release(const Names &N) {
  LockState &L = lock(N.Op.Target);
  if (llvm::is_contained(L.Readers, N.Op.Thread))
    return releasesSharedLock(N, uint32_t(N.Op.Target));
  if (!L.IsExclusive || L.Owner != N.Op.Thread)
    return releasesForeignLock(N, uint32_t(N.Op.Target));
  L.IsExclusive = false;
  --thread(N.Op.Thread).NumLocks;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::readLock(const Names &N) {
  LockState &L = lock(N.Op.Target);
  uint32_t Id = uint32_t(N.Op.Target);
  if ((L.IsExclusive && L.Owner == N.Op.Thread) || llvm::is_contained(L.Readers, N.Op.Thread))
    return acquiresOwnLock(N, Id);
  if (L.IsExclusive)
    return acquiresHeldLock(N, Id, L.Owner);
  L.Readers.push_back(N.Op.Thread);
  ++thread(N.Op.Thread).NumLocks;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::readUnlock(const Names &N) {
  LockState &L = lock(N.Op.Target);
  auto It = llvm::find(L.Readers, N.Op.Thread);
  if (It == L.Readers.end())
    return unlocksUnsharedLock(N, uint32_t(N.Op.Target));
  L.Readers.erase(It);
  --thread(N.Op.Thread).NumLocks;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::fork(const Names &N) {
  if (N.Op.Target == N.Op.Thread)
    return forksItself(N);
  ThreadState &Child = thread(N.Op.Target);
  if (Child.Now == Phase::Forked)
    return forksTwice(N);
  if (Child.Now != Phase::Unborn)
    return forksRunning(N);
  Child.Now = Phase::Forked;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::join(const Names &N) {
  if (N.Op.Target == N.Op.Thread)
    return joinsItself(N);
  ThreadState &Child = thread(N.Op.Target);
  switch (Child.Now) {
  case Phase::Unborn:
  case Phase::Forked:
    return joinsUnseen(N);
  case Phase::Running:
  case Phase::Waiting:
  case Phase::Arrived:
    if (Child.HasStarted)
      return joinsRunning(N);
    break;
  case Phase::Exited:
    break;
  case Phase::Finished:
    return std::nullopt; // joining again is allowed; the first join is the one that counts
  }
  Child.Now = Phase::Finished;
  Child.JoinedBy = N.Op.Thread;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::begin(const Names &N) {
  ThreadState &T = thread(N.Op.Thread);
  if (T.Now == Phase::Running)
    return startsLate(N);
  T.HasStarted = true;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::end(const Names &N) {
  ThreadState &T = thread(N.Op.Thread);
  if (T.NumLocks != 0)
    return exitsWithLocks(N, T.NumLocks);
  T.Now = Phase::Exited;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::wait(const Names &N) {
  LockState &L = lock(N.Op.Lock);
  if (!L.IsExclusive || L.Owner != N.Op.Thread)
    return waitsWithoutLock(N);
  L.IsExclusive = false;
  ThreadState &T = thread(N.Op.Thread);
  --T.NumLocks;
  T.Now = Phase::Waiting;
  T.Object = uint32_t(N.Op.Target);
  T.Lock = N.Op.Lock;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::wake(const Names &N) {
  ThreadState &T = thread(N.Op.Thread);
  if (T.Now != Phase::Waiting) {
    Refusal R = mayRun(N);
    return R ? R : wakesWithoutWait(N);
  }
  if (T.Object != N.Op.Target || T.Lock != N.Op.Lock)
    return wakesWithoutWait(N);
  LockState &L = lock(N.Op.Lock);
  if (L.IsExclusive)
    return wakesWithHeldLock(N, N.Op.Lock, L.Owner);
  if (!L.Readers.empty())
    return wakesWithHeldLock(N, N.Op.Lock, L.Readers.front());
  L.IsExclusive = true;
  L.Owner = N.Op.Thread;
  ++T.NumLocks;
  T.Now = Phase::Running;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::arrive(const Names &N) {
  ThreadState &T = thread(N.Op.Thread);
  T.Now = Phase::Arrived;
  T.Object = uint32_t(N.Op.Target);
  return std::nullopt;
}

Refusal FeasibilityChecker::State::depart(const Names &N) {
  ThreadState &T = thread(N.Op.Thread);
  if (T.Now != Phase::Arrived) {
    Refusal R = mayRun(N);
    return R ? R : departsWithoutArrival(N);
  }
  if (T.Object != N.Op.Target)
    return departsWithoutArrival(N);
  T.Now = Phase::Running;
  return std::nullopt;
}

Refusal FeasibilityChecker::State::allocate(const Names &N) {
  if (N.Op.Size == 0)
    return allocatesNothing(N);
  // The last byte, because the end of the last allocation of all may be 2^64.
  uint64_t Last = N.Op.Target + (N.Op.Size - 1);
  if (Last < N.Op.Target)
    return allocatesPastEnd(N);
  auto After = Allocations.upper_bound(Last);
  if (After != Allocations.begin()) {
    auto [Start, Size] = *std::prev(After);
    if (Start >= N.Op.Target || N.Op.Target - Start < Size)
      return allocatesLiveMemory(N, Start, Size);
  }
  Allocations.emplace_hint(After, N.Op.Target, N.Op.Size);
  return std::nullopt;
}

Refusal FeasibilityChecker::State::free(const Names &N) {
  auto It = Allocations.find(N.Op.Target);
  if (It == Allocations.end())
    return freesNoAllocation(N);
  if (It->second != N.Op.Size)
    return freesWrongSize(N, It->second);
  Allocations.erase(It);
  return std::nullopt;
}

Refusal FeasibilityChecker::State::apply(const Names &N) {
  // These two end a phase in which nothing else is possible.
  if (N.Op.Kind == OpKind::Wake)
    return wake(N);
  if (N.Op.Kind == OpKind::Depart)
    return depart(N);
  if (Refusal R = mayRun(N))
    return R;

  Refusal R;
  switch (N.Op.Kind) {
  case OpKind::Read:
  case OpKind::Write:
  case OpKind::AtomicLoad:
  case OpKind::AtomicStore:
  case OpKind::AtomicRmw:
  case OpKind::Fence:
  case OpKind::Notify:
  case OpKind::Once:
  case OpKind::Wake:
  case OpKind::Depart:
    break;
  case OpKind::Acquire:
    R = acquire(N);
    break;
  case OpKind::Release:
    R = release(N);
    break;
  case OpKind::ReadLock:
    R = readLock(N);
    break;
  case OpKind::ReadUnlock:
    R = readUnlock(N);
    break;
  case OpKind::Fork:
    R = fork(N);
    break;
  case OpKind::Join:
    R = join(N);
    break;
  case OpKind::Begin:
    R = begin(N);
    break;
  case OpKind::End:
    R = end(N);
    break;
  case OpKind::Wait:
    R = wait(N);
    break;
  case OpKind::Arrive:
    R = arrive(N);
    break;
  case OpKind::Allocate:
    R = allocate(N);
    break;
  case OpKind::Free:
    R = free(N);
    break;
  }
  if (R)
    return R;
  // The thread has now run, if the operation has not made anything else of it.
  ThreadState &T = thread(N.Op.Thread);
  if (T.Now == Phase::Unborn || T.Now == Phase::Forked)
    T.Now = Phase::Running;
  return std::nullopt;
}

FeasibilityChecker::FeasibilityChecker() : S(std::make_unique<State>()) {}
FeasibilityChecker::~FeasibilityChecker() = default;

std::optional<std::string> FeasibilityChecker::check(const Operation &Op,
                                                     const SymbolTable &Symbols) {
  // The common case, on its own: an access by a thread that is running.
  if (Op.Kind <= OpKind::AtomicRmw && Op.Thread < S->Threads.size() &&
      S->Threads[Op.Thread].Now == Phase::Running)
    return std::nullopt;
  return S->apply({Op, Symbols});
}

llvm::Expected<bool> CheckedSource::next(Operation &Op) {
  llvm::Expected<bool> HasNext = Inner.next(Op);
  if (!HasNext || !*HasNext)
    return HasNext;
  if (std::optional<std::string> What = Checker.check(Op, Inner.symbols()))
    return llvm::make_error<TraceError>(Inner.position() + ": " + *What);
  return true;
}

bool photofinish::isFeasible(const Trace &Ops) {
  FeasibilityChecker Checker;
  SymbolTable Symbols;
  for (const Operation &Op : Ops)
    if (Checker.check(Op, Symbols))
      return false;
  return true;
}
