//===- random_program.h - The program whose run the generator records -------===//
//
// The generator's simulation. A thread that has nothing to do plans a short script, such as
//
//   acq m1 | run over a0 | maybe more runs under m1 | wait c0 | run | unlock m1
//
// and performs it step by step whenever the scheduler picks it; a step that is not
// possible yet (the lock is taken) blocks the script and somebody else goes on.
// A run is itself a loop, one access at a time.
//
// Why it never gets stuck:
//   * a script takes its locks in ascending order, and waits only with the highest
//     one it holds, so that waking up is a lock taken in ascending order as well;
//   * barriers are reached between scripts, without locks; one round at a time is
//     being collected, from participants that were decided when it was called;
//   * only threads that have ended are joined.
//
// Why full discipline is race-free: each guard admits two threads to an object one
// after the other only, with a happens-before path between them (see enum Guard),
// and disciplined scripts touch an object through its guard only. Atomic variables
// are accessed atomically by disciplined scripts, hence never race.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_RANDOM_PROGRAM_H
#define PHOTOFINISH_TRACE_RANDOM_PROGRAM_H

#include "trace/generator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace photofinish::program {

/// xoshiro256** of Blackman and Vigna, seeded through splitmix64 as they advise.
class Prng {
public:
  explicit Prng(uint64_t Seed) {
    for (uint64_t &Word : State) {
      uint64_t Z = (Seed += 0x9e3779b97f4a7c15);
      Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
      Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
      Word = Z ^ (Z >> 31);
    }
  }
  uint64_t next() {
    uint64_t Result = rotate(State[1] * 5, 7) * 9;
    uint64_t T = State[1] << 17;
    State[2] ^= State[0];
    State[3] ^= State[1];
    State[1] ^= State[2];
    State[0] ^= State[3];
    State[2] ^= T;
    State[3] = rotate(State[3], 45);
    return Result;
  }
  uint32_t below(uint32_t N) { return uint32_t(((next() >> 32) * N) >> 32); }
  uint32_t between(uint32_t Low, uint32_t High) { return Low + below(High - Low + 1); }
  bool percent(unsigned P) { return below(100) < P; }
  template <typename T> T pick(std::initializer_list<T> Choices) {
    return Choices.begin()[below(uint32_t(Choices.size()))];
  }

private:
  static uint64_t rotate(uint64_t X, int K) { return (X << K) | (X >> (64 - K)); }
  uint64_t State[4];
};

inline constexpr uint32_t None = ~0u;

/// What orders the accesses of disciplined threads to an object.
enum class Guard : uint8_t {
  Lock,  ///< lock GuardIndex, shared for reading if there are read-locks
  Owner, ///< one thread; passes on at fork and join
  Phase, ///< each member owns a part until the next round of barrier 0
  Once,  ///< written before once(GuardIndex), read after it
  Flag,  ///< one owner; passes on by a release and an acquire of atomic GuardIndex
};

enum class ObjectKind : uint8_t { Scalar, Array, Atomic };

struct Object {
  std::string Name;
  ObjectKind Kind = ObjectKind::Scalar;
  Guard By = Guard::Lock;
  uint32_t GuardIndex = 0;
  uint64_t Base = 0;
  uint32_t Elements = 1;
  uint32_t ElementSize = 1;
  bool Placed = false;    ///< Base is known
  bool Live = true;       ///< not freed
  bool Published = false; ///< Flag: between two owners
  bool Untouched = true;  ///< Once: nobody has begun to initialise it
  uint32_t Owner = None;  ///< Owner, Flag
};

/// A loop over elements First + I * Spacing of an object, I in [0, Count).
struct Run {
  uint32_t Object = 0;
  uint32_t First = 0;
  uint32_t Spacing = 1;
  uint32_t Count = 0;
  uint32_t I = 0;
  int32_t Step = 1; ///< 0: irregular
  uint32_t Left = 0;
  uint32_t Site = 0;
  unsigned Writes = 0; ///< percentage
  bool Disciplined = true;
};

enum class Intent : uint8_t { Any, ReadOnly, Initialise };

struct Step {
  enum class Do : uint8_t { Operate, Run, MoreRuns, Unlock, SetUp };
  enum class Effect : uint8_t { None, Publish, Take };

  Do What = Do::Operate;
  OpKind Kind = OpKind::Read;
  MemoryOrder Order = MemoryOrder::Relaxed;
  Effect Then = Effect::None;
  Intent Purpose = Intent::Any;
  bool Disciplined = true;
  uint32_t Target = 0; ///< an index of our own, not yet an id of the trace
  uint32_t Lock = 0;   ///< Wait: the lock; Publish, Take: the object handed on
};

struct Thread {
  enum class Life : uint8_t { Unborn, Born, Running, Ended, Joined };
  struct Held {
    uint32_t Lock;
    bool Shared;
  };

  Life Now = Life::Unborn;
  bool StartsAndExits = false;
  bool HasRun = false; ///< has done an operation, as a join requires
  bool EndWanted = false;
  bool InRun = false;
  bool Waiting = false;
  bool Notified = false;
  bool Called = false;    ///< has to arrive for the round being collected
  bool Collected = false; ///< participates in it, arrived or not
  bool MayDepart = false; ///< its round is complete
  bool Member = false;    ///< takes part in the phases
  uint32_t Barrier = None;
  uint32_t Condition = 0;
  uint32_t WaitLock = 0;
  uint32_t Part = None; ///< of phased objects
  size_t Next = 0;
  Run Loop;
  llvm::SmallVector<Held, 4> Locks;
  llvm::SmallVector<Step, 8> Script;
};

struct LockState {
  bool Exclusive = false;
  uint32_t Shared = 0;
  uint32_t WantedBy = None; ///< a thread that found it taken
};

/// The round that is being collected.
struct Round {
  uint32_t Barrier = None;
  uint32_t Missing = 0;
  bool Phases = false;
};

enum class Outcome : uint8_t { Emitted, Changed, Stuck };

class RandomProgram {
public:
  explicit RandomProgram(const GeneratorOptions &Options);
  bool next(Operation &Op);

  const GeneratorOptions O;
  SymbolTable Symbols;
  uint64_t Emitted = 0;

private:
  // Set-up.
  void makeObjects();
  void addObject(ObjectKind Kind, uint32_t Number, uint32_t Elements, uint32_t ElementSize);
  void chooseGuard(Object &X);
  void planSetUp();

  // Scheduling.
  Outcome advance(uint32_t T, bool Force, Operation &Op);
  Outcome drain(uint32_t T, Operation &Op);
  Outcome end(uint32_t T, Operation &Op);
  uint64_t closingCost() const;
  uint64_t runsLeft() const;
  void deactivate(uint32_t T) { Active.erase(llvm::find(Active, T)); }

  // Planning: each returns whether it has given T a script.
  bool plan(uint32_t T);
  bool planLife(uint32_t T);
  bool planAccess(uint32_t T);
  bool planSync(uint32_t T);
  bool planGuarded(uint32_t T, uint32_t X);
  bool planHandOver(uint32_t T, uint32_t X);
  bool planUndisciplined(uint32_t T);
  bool planAtomics(uint32_t T, bool Disciplined);
  void planSection(uint32_t T, uint32_t Lock, uint32_t X);
  bool callRound(bool Phases);

  // Script building.
  void operate(uint32_t T, OpKind Kind, uint32_t Target, uint32_t Lock = 0,
               MemoryOrder Order = MemoryOrder::Relaxed, Step::Effect Then = Step::Effect::None);
  void run(uint32_t T, uint32_t X, Intent Purpose = Intent::Any, bool Disciplined = true);
  void renew(uint32_t T, uint32_t X);
  MemoryOrder anyOrder(OpKind Kind);
  MemoryOrder releaseOrder() {
    return Rng.pick({MemoryOrder::Release, MemoryOrder::AcqRel, MemoryOrder::SeqCst});
  }
  MemoryOrder acquireOrder() {
    return Rng.pick({MemoryOrder::Acquire, MemoryOrder::AcqRel, MemoryOrder::SeqCst});
  }

  // Performing.
  Outcome perform(uint32_t T, const Step &S, Operation &Op);
  Outcome operateNow(uint32_t T, const Step &S, Operation &Op);
  bool beginRun(uint32_t T, uint32_t X, Intent Purpose, bool Disciplined);
  void choosePattern(Run &R, Pattern P);
  bool access(uint32_t T, Operation &Op);
  void unlock(uint32_t T, uint32_t Lock, Operation &Op);
  void arrive(uint32_t T, Operation &Op);
  void notify(uint32_t Condition);
  void inherit(uint32_t From, uint32_t To, unsigned Percent);

  // Emission.
  uint32_t id(NameKind Kind, uint32_t Index);
  uint32_t siteOf(uint64_t Key) const {
    return O.Sites ? uint32_t((Key * 0x9e3779b97f4a7c15 >> 32) * O.Sites >> 32) : 0;
  }
  std::pair<uint64_t, uint64_t> whole(Object &X); ///< address and size
  std::pair<uint64_t, uint64_t> piece(Object &X);
  void emit(uint32_t T, OpKind Kind, Operation &Op, NameKind Name, uint32_t Target);
  void emitMemory(uint32_t T, OpKind Kind, Operation &Op, uint64_t Address, uint64_t Size,
                  uint32_t Site = None);
  void finish(Operation &Op, uint32_t Site);

  bool belowAccessAim() const { return Accesses * 100 < Counted * O.AccessPercent; }
  uint32_t pickPlain();

  Prng Rng;
  std::vector<Thread> Threads;
  std::vector<uint32_t> Active; ///< born and not ended
  std::vector<LockState> Locks;
  std::vector<Object> Objects;                ///< scalars, then arrays, then atomics
  std::vector<std::vector<uint32_t>> Guarded; ///< by lock: the objects it guards
  std::vector<bool> OnceDone;
  std::vector<bool> OnceTaken; ///< guards an object
  std::vector<bool> FlagTaken; ///< guards an object
  std::vector<bool> Closing;   ///< by barrier: a complete round that nobody has left yet
  std::array<std::vector<uint32_t>, NumNameKinds> Ids;

  Round Collecting;
  bool HasPhases = false;
  bool ReadPhase = false; ///< all members read, nobody writes
  uint32_t Phase = 0;
  uint32_t PartCount = 0;

  uint32_t NextUnborn = 1;
  uint64_t NextFork = 0;
  uint64_t NextEnd = 0;
  uint64_t LifeInterval = 1;

  uint64_t Accesses = 0; ///< since the set-up, as Counted
  uint64_t Counted = 0;
  uint32_t Position = 0;     ///< in Active: whose turn it is
  uint32_t Turns = 0;        ///< how many operations it may still do
  uint32_t Preferred = None; ///< the thread that gets the next turn
  bool Ready = false;        ///< the set-up is over
  bool Draining = false;
};

} // namespace photofinish::program

#endif // PHOTOFINISH_TRACE_RANDOM_PROGRAM_H
