//===- random_program.cpp - Scheduling and performing ----------------------===//
//
// The half of random_program.h that keeps the program's state: who is next, what a
// step does, and what operation it becomes. Ids of the trace are given out at their
// first appearance, as a reader of the written trace does, so that a trace that is
// written and read again is the same trace.
//
//===----------------------------------------------------------------------===//

#include "trace/random_program.h"

#include <algorithm>
#include <cassert>

using namespace photofinish;
using namespace photofinish::program;

static GeneratorOptions inRange(GeneratorOptions O) {
  O.Threads = std::clamp(O.Threads, 1u, 4096u);
  O.Locks = std::min(O.Locks, 4096u);
  O.Burst = std::clamp(O.Burst, 1u, 1u << 20);
  O.ArraySize = std::clamp(O.ArraySize, 1u, 1u << 30);
  O.ElementSize = std::clamp(O.ElementSize, 1u, 4096u);
  O.AccessPercent = std::min(O.AccessPercent, 100u);
  O.SitesPerPattern = std::max(O.SitesPerPattern, 1u);
  O.Conditions = O.Locks ? O.Conditions : 0; // waiting needs a lock
  O.AllocFree = O.AllocFree && O.Allocated;
  return O;
}

RandomProgram::RandomProgram(const GeneratorOptions &Options)
    : O(inRange(Options)), Rng(O.Seed), Threads(O.Threads), Locks(O.Locks), Guarded(O.Locks),
      OnceDone(O.Once), OnceTaken(O.Once), FlagTaken(O.Atomics), Closing(O.Barriers) {
  const uint32_t Counts[NumNameKinds] = {O.Threads,  O.Locks, O.Conditions,
                                         O.Barriers, O.Once,  O.Sites};
  for (unsigned Kind = 0; Kind < NumNameKinds; ++Kind)
    Ids[Kind].assign(Counts[Kind], None);
  for (Thread &T : Threads)
    T.StartsAndExits = Rng.percent(O.StartExit);
  makeObjects();
  LifeInterval = O.Operations / (uint64_t(2) * O.Threads) + 1;
  NextEnd = O.Operations / 4;
  Threads[0].Now = Thread::Life::Born;
  Active.push_back(0);
  planSetUp();
}

void RandomProgram::addObject(ObjectKind Kind, uint32_t Number, uint32_t Elements,
                              uint32_t ElementSize) {
  Object X;
  X.Kind = Kind;
  X.Name = "vax"[unsigned(Kind)] + std::to_string(Number);
  X.Elements = Elements;
  X.ElementSize = ElementSize;
  if (Kind == ObjectKind::Array) {
    X.Live = !O.Allocated;
    if (!O.Allocated) {
      // Below NamedBase, on pages of their own.
      const uint64_t Room = (uint64_t(Elements) * ElementSize + 0x1fff) & ~uint64_t(0xfff);
      X.Base = 0x10000 + Number * Room;
      X.Placed = true;
    }
  }
  Objects.push_back(std::move(X));
}

void RandomProgram::makeObjects() {
  static constexpr uint32_t ScalarSizes[] = {4, 8, 1, 2, 16};
  for (uint32_t I = 0; I < O.Variables; ++I)
    addObject(ObjectKind::Scalar, I, 1, ScalarSizes[I % 5]);
  for (uint32_t I = 0; I < O.Arrays; ++I)
    addObject(ObjectKind::Array, I, O.ArraySize, O.ElementSize);
  for (Object &X : Objects)
    chooseGuard(X);
  for (uint32_t I = 0; I < O.Atomics; ++I)
    addObject(ObjectKind::Atomic, I, 1, I % 2 ? 8 : 4);
  for (uint32_t X = 0; X < Objects.size(); ++X)
    if (Objects[X].Kind != ObjectKind::Atomic && Objects[X].By == Guard::Lock)
      Guarded[Objects[X].GuardIndex].push_back(X);
  HasPhases = llvm::any_of(Objects, [](const Object &X) { return X.By == Guard::Phase; });
}

void RandomProgram::chooseGuard(Object &X) {
  const auto FreeIndex = [&](std::vector<bool> &Taken) {
    const uint32_t Index = Taken.empty() ? 0 : Rng.below(uint32_t(Taken.size()));
    return Taken.empty() || Taken[Index] ? None : Index;
  };
  const uint32_t Roll = Rng.below(10);
  // Every second atomic variable may become a flag; the others are stored to by anyone.
  const uint32_t Flag = Roll < 2 ? FreeIndex(FlagTaken) : None;
  const uint32_t Once = Roll == 2 ? FreeIndex(OnceTaken) : None;
  if (Flag != None && Flag % 2 == 0) {
    X.By = Guard::Flag;
    X.GuardIndex = Flag;
    FlagTaken[Flag] = true;
  } else if (Once != None) {
    X.By = Guard::Once;
    X.GuardIndex = Once;
    OnceTaken[Once] = true;
  } else if (Roll >= 3 && Roll < 6 && O.Barriers) {
    X.By = Guard::Phase;
  } else if (O.Locks && (Roll != 6 || X.Kind == ObjectKind::Array)) {
    X.By = Guard::Lock;
    X.GuardIndex = uint32_t(&X - Objects.data()) % O.Locks;
  } else {
    X.By = Guard::Owner;
  }
  // Threads that do not exist yet cannot own anything.
  X.Owner = O.Model == ThreadModel::Dynamic ? 0 : Rng.below(O.Threads);
}

/// T0 allocates the arrays and starts the others. What it writes before its first fork
/// happens before everything that they do, whatever the guard.
void RandomProgram::planSetUp() {
  for (uint32_t X = 0; X < Objects.size(); ++X)
    if (Objects[X].Kind == ObjectKind::Array && O.Allocated)
      operate(0, OpKind::Allocate, X);
  if (O.Model != ThreadModel::Present)
    for (uint32_t X = 0; X < O.Variables + O.Arrays; ++X)
      if (Rng.percent(O.Initialise))
        run(0, X, Intent::Initialise, false);
  Step S;
  S.What = Step::Do::SetUp;
  Threads[0].Script.push_back(S);
  if (O.Model == ThreadModel::Forked)
    for (uint32_t T = 1; T < O.Threads; ++T)
      operate(0, OpKind::Fork, T);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// Elements at most that a run over a prefix goes through.
static constexpr uint32_t MaxPrefix = 32;

bool RandomProgram::next(Operation &Op) {
  if (Emitted >= O.Operations)
    return false;
  // An operation adds at most three others that are needed to close what it opens.
  const uint64_t Remaining = O.Operations - Emitted;
  // And one that begins a run may add a whole array.
  const uint64_t LongestRun = O.ArrayPattern == Pattern::Prefix ? MaxPrefix : O.ArraySize;
  const uint64_t LongestRuns = O.FinishRuns ? (O.Threads + 1) * LongestRun : 0;
  if (O.Finish && !Draining && Remaining <= 8ull * O.Threads + 4 + LongestRuns)
    Draining = Remaining <= closingCost() + 4 + (O.FinishRuns ? runsLeft() + LongestRun : 0);

  Op = Operation();
  if (Turns == 0 || Preferred != None) {
    Position = Preferred != None ? uint32_t(llvm::find(Active, Preferred) - Active.begin())
                                 : Rng.below(uint32_t(Active.size()));
    Preferred = None;
    Turns = Rng.between(1, 2 * O.Burst - 1);
  }
  // The second time round, those who wait wake up though nobody has notified them.
  for (bool Force : {false, true}) {
    size_t Stuck = 0;
    while (Stuck < Active.size()) {
      Position = Position < Active.size() ? Position : 0;
      const Outcome What = advance(Active[Position], Force, Op);
      if (What == Outcome::Emitted) {
        --Turns;
        return true;
      }
      Turns = O.Burst;
      if (What == Outcome::Changed) {
        Stuck = 0;
        continue;
      }
      ++Stuck;
      ++Position;
    }
  }
  if (Draining || !O.Finish)
    return false;
  Draining = true; // nobody has anything to do, so end it
  return next(Op);
}

/// Accesses that the runs in progress still have to make.
uint64_t RandomProgram::runsLeft() const {
  uint64_t Left = 0;
  for (uint32_t Index : Active)
    Left += Threads[Index].InRun ? Threads[Index].Loop.Left : 0;
  return Left;
}

/// One step of a thread, if it can make one.
Outcome RandomProgram::advance(uint32_t Index, bool Force, Operation &Op) {
  Thread &T = Threads[Index];
  if (T.InRun && (!Draining || O.FinishRuns) && access(Index, Op))
    return Outcome::Emitted;

  if (T.Now == Thread::Life::Born) {
    if (Draining && !T.StartsAndExits && Index != 0)
      return end(Index, Op); // need not run at all
    T.Now = Thread::Life::Running;
    T.Member = HasPhases;
    if (T.StartsAndExits) {
      emit(Index, OpKind::Begin, Op, NameKind::Thread, None);
      return Outcome::Emitted;
    }
  }
  if (T.Waiting) {
    LockState &L = Locks[T.WaitLock];
    const bool Wakes = T.Notified || Draining || Force || Rng.below(8) == 0;
    if (!Wakes || L.Exclusive || L.Shared)
      return Outcome::Stuck;
    L.Exclusive = true;
    T.Locks.push_back({T.WaitLock, false});
    T.Waiting = T.Notified = false;
    emit(Index, OpKind::Wake, Op, NameKind::Condition, T.Condition);
    Op.Lock = id(NameKind::Lock, T.WaitLock);
    return Outcome::Emitted;
  }
  if (T.Barrier != None) {
    if (!T.MayDepart)
      return Outcome::Stuck;
    Closing[T.Barrier] = false;
    emit(Index, OpKind::Depart, Op, NameKind::Barrier, T.Barrier);
    T.Barrier = None;
    T.MayDepart = false;
    return Outcome::Emitted;
  }
  if (Draining)
    return drain(Index, Op);

  // A plan is made and begun at once: it may rest on what is so just now, such as that an
  // object has been published and nobody has taken it yet.
  for (unsigned Plans = 0;; ++Plans) {
    while (T.Next < T.Script.size()) {
      const Outcome What = perform(Index, T.Script[T.Next], Op);
      if (What != Outcome::Changed)
        return What;
    }
    T.Script.clear();
    T.Next = 0;
    if (T.Now != Thread::Life::Running)
      return Outcome::Changed;
    if (T.Called) {
      arrive(Index, Op);
      return Outcome::Emitted;
    }
    if (Plans == 4 || !plan(Index))
      return Outcome::Stuck;
  }
}

/// How many operations it takes to give everything back and join everybody.
uint64_t RandomProgram::closingCost() const {
  uint64_t Cost = 0;
  for (uint32_t I = 0; I < O.Threads; ++I) {
    const Thread &T = Threads[I];
    if (T.Now == Thread::Life::Unborn || T.Now == Thread::Life::Joined)
      continue;
    const bool Born = T.Now == Thread::Life::Born;
    const bool WillJoin = I != 0 && O.Model != ThreadModel::Present;
    if (Born && !T.StartsAndExits)
      continue;
    Cost += WillJoin && (T.HasRun || T.StartsAndExits);
    if (T.Now != Thread::Life::Ended)
      Cost += T.Locks.size() + 2ull * T.Waiting + (T.Barrier != None) + 2ull * T.Called +
              T.StartsAndExits + (Born && T.StartsAndExits);
  }
  return Cost;
}

/// The last steps of a thread: gives back what it holds, and ends.
Outcome RandomProgram::drain(uint32_t Index, Operation &Op) {
  Thread &T = Threads[Index];
  T.Script.clear();
  T.Next = 0;
  if (!T.Locks.empty()) {
    unlock(Index, T.Locks.back().Lock, Op);
    return Outcome::Emitted;
  }
  if (T.Called) {
    arrive(Index, Op);
    return Outcome::Emitted;
  }
  if (Index == 0) {
    if (O.Model != ThreadModel::Present)
      for (uint32_t U = 1; U < O.Threads; ++U)
        if (Threads[U].Now == Thread::Life::Ended) {
          Threads[U].Now = Thread::Life::Joined;
          emit(0, OpKind::Join, Op, NameKind::Thread, U);
          return Outcome::Emitted;
        }
    if (Active.size() > 1)
      return Outcome::Stuck;
  }
  return end(Index, Op);
}

/// Without an exit, a thread just does nothing any more.
Outcome RandomProgram::end(uint32_t Index, Operation &Op) {
  Thread &T = Threads[Index];
  T.Now = T.HasRun ? Thread::Life::Ended : Thread::Life::Joined;
  deactivate(Index);
  if (!T.StartsAndExits)
    return Outcome::Changed;
  emit(Index, OpKind::End, Op, NameKind::Thread, None);
  return Outcome::Emitted;
}

//===----------------------------------------------------------------------===//
// Performing
//===----------------------------------------------------------------------===//

Outcome RandomProgram::perform(uint32_t Index, const Step &S, Operation &Op) {
  Thread &T = Threads[Index];
  switch (S.What) {
  case Step::Do::Run:
    ++T.Next;
    return beginRun(Index, S.Target, S.Purpose, S.Disciplined) && access(Index, Op)
               ? Outcome::Emitted
               : Outcome::Changed;
  case Step::Do::MoreRuns: {
    const std::vector<uint32_t> &Mine = Guarded[S.Target];
    if (belowAccessAim() && Rng.percent(75) &&
        beginRun(Index, Mine[Rng.below(uint32_t(Mine.size()))], S.Purpose, true) &&
        access(Index, Op))
      return Outcome::Emitted; // and come back to this step
    ++T.Next;
    return Outcome::Changed;
  }
  case Step::Do::Unlock:
    ++T.Next;
    unlock(Index, S.Target, Op);
    return Outcome::Emitted;
  case Step::Do::SetUp:
    ++T.Next;
    Ready = true;
    if (O.Model == ThreadModel::Present)
      for (uint32_t U = 1; U < O.Threads; ++U) {
        Threads[U].Now = Thread::Life::Born;
        Active.push_back(U);
      }
    return Outcome::Changed;
  case Step::Do::Operate:
    break;
  }
  const Outcome What = operateNow(Index, S, Op);
  T.Next += What != Outcome::Stuck;
  return What;
}

/// A single operation: Stuck if it has to wait, Changed if it has become pointless.
Outcome RandomProgram::operateNow(uint32_t Index, const Step &S, Operation &Op) {
  Thread &T = Threads[Index];
  switch (S.Kind) {
  case OpKind::Acquire:
    if (Locks[S.Target].Exclusive || Locks[S.Target].Shared) {
      Locks[S.Target].WantedBy = Index;
      return Outcome::Stuck;
    }
    Locks[S.Target].Exclusive = true;
    T.Locks.push_back({S.Target, false});
    emit(Index, S.Kind, Op, NameKind::Lock, S.Target);
    return Outcome::Emitted;
  case OpKind::ReadLock:
    if (Locks[S.Target].Exclusive) {
      Locks[S.Target].WantedBy = Index;
      return Outcome::Stuck;
    }
    ++Locks[S.Target].Shared;
    T.Locks.push_back({S.Target, true});
    emit(Index, S.Kind, Op, NameKind::Lock, S.Target);
    return Outcome::Emitted;
  case OpKind::Wait:
    Locks[S.Lock].Exclusive = false;
    llvm::erase_if(T.Locks, [&](const Thread::Held &H) { return H.Lock == S.Lock; });
    T.Waiting = true;
    T.Notified = false;
    T.Condition = S.Target;
    T.WaitLock = S.Lock;
    emit(Index, S.Kind, Op, NameKind::Condition, S.Target);
    Op.Lock = id(NameKind::Lock, S.Lock);
    return Outcome::Emitted;
  case OpKind::Notify:
    notify(S.Target);
    emit(Index, S.Kind, Op, NameKind::Condition, S.Target);
    return Outcome::Emitted;
  case OpKind::Once:
    OnceDone[S.Target] = true;
    emit(Index, S.Kind, Op, NameKind::Once, S.Target);
    return Outcome::Emitted;
  case OpKind::Fork:
    Threads[S.Target].Now = Thread::Life::Born;
    Active.push_back(S.Target);
    inherit(Index, S.Target, O.Model == ThreadModel::Dynamic ? 50 : 0);
    emit(Index, S.Kind, Op, NameKind::Thread, S.Target);
    return Outcome::Emitted;
  case OpKind::Join:
    if (Threads[S.Target].Now != Thread::Life::Ended)
      return Outcome::Changed;
    Threads[S.Target].Now = Thread::Life::Joined;
    inherit(S.Target, Index, 100);
    emit(Index, S.Kind, Op, NameKind::Thread, S.Target);
    return Outcome::Emitted;
  case OpKind::End:
    return end(Index, Op);
  case OpKind::Fence:
    emit(Index, S.Kind, Op, NameKind::Thread, None);
    Op.Order = S.Order;
    return Outcome::Emitted;
  case OpKind::Allocate:
  case OpKind::Free: {
    Object &X = Objects[S.Target];
    const bool Fresh = S.Kind == OpKind::Allocate;
    if (X.Live == Fresh)
      return Outcome::Changed;
    X.Live = Fresh;
    const uint64_t Size = uint64_t(X.Elements) * X.ElementSize;
    if (Fresh)
      X.Base = Symbols.allocate(X.Name, Size).Base;
    X.Placed = true;
    emitMemory(Index, S.Kind, Op, X.Base, Size);
    if (!Fresh)
      Symbols.release(X.Name);
    return Outcome::Emitted;
  }
  default:
    assert(isAtomicAccess(S.Kind) && "not an operation that scripts contain");
    break;
  }

  Object &X = Objects[S.Target];
  const auto [Address, Size] = S.Then == Step::Effect::None ? piece(X) : whole(X);
  if (S.Then != Step::Effect::None) {
    Object &Handed = Objects[S.Lock];
    assert((S.Then == Step::Effect::Take ? Handed.Published : Handed.Owner == Index) &&
           "handed on by somebody else");
    Handed.Published = S.Then == Step::Effect::Publish;
    Handed.Owner = Handed.Published ? None : Index;
  }
  emitMemory(Index, S.Kind, Op, Address, Size);
  Op.Order = S.Order;
  return Outcome::Emitted;
}

void RandomProgram::unlock(uint32_t Index, uint32_t Lock, Operation &Op) {
  Thread &T = Threads[Index];
  auto *Which = llvm::find_if(T.Locks, [&](const Thread::Held &H) { return H.Lock == Lock; });
  const bool Shared = Which->Shared;
  T.Locks.erase(Which);
  if (Shared)
    --Locks[Lock].Shared;
  else
    Locks[Lock].Exclusive = false;
  // Otherwise whoever holds a popular lock would mostly be the next to hold it, too.
  if (uint32_t &Wanted = Locks[Lock].WantedBy; Wanted != None) {
    Preferred = Rng.percent(75) ? Wanted : Preferred;
    Wanted = None;
  }
  emit(Index, Shared ? OpKind::ReadUnlock : OpKind::Release, Op, NameKind::Lock, Lock);
}

/// One waiter or all of them.
void RandomProgram::notify(uint32_t Condition) {
  const bool All = Rng.below(2);
  for (uint32_t T : Active)
    if (Threads[T].Waiting && Threads[T].Condition == Condition && !Threads[T].Notified) {
      Threads[T].Notified = true;
      if (!All)
        return;
    }
}

/// What From owns passes to To: a fork or a join orders their accesses.
void RandomProgram::inherit(uint32_t From, uint32_t To, unsigned Percent) {
  if (Percent)
    for (Object &X : Objects)
      if (X.Owner == From && Rng.percent(Percent))
        X.Owner = To;
}

/// The last one to arrive opens the barrier, and gives the members of the phases
/// their parts for the next one.
void RandomProgram::arrive(uint32_t Index, Operation &Op) {
  Threads[Index].Called = false;
  Threads[Index].Barrier = Collecting.Barrier;
  emit(Index, OpKind::Arrive, Op, NameKind::Barrier, Collecting.Barrier);
  if (--Collecting.Missing)
    return;

  PartCount = Collecting.Phases ? 0 : PartCount;
  for (uint32_t Other : Active) {
    Thread &T = Threads[Other];
    if (T.Barrier != Collecting.Barrier || T.MayDepart || !T.Collected)
      continue;
    T.Collected = false;
    T.MayDepart = true;
    if (Collecting.Phases) {
      T.Member = !T.EndWanted;
      T.Part = T.Member ? PartCount++ : None;
    }
  }
  if (Collecting.Phases) {
    ++Phase;
    ReadPhase = Rng.percent(25);
  }
  Closing[Collecting.Barrier] = true;
  Collecting = Round();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// False if the thread may not touch the object now.
bool RandomProgram::beginRun(uint32_t Index, uint32_t Which, Intent Purpose, bool Disciplined) {
  Thread &T = Threads[Index];
  const Object &X = Objects[Which];
  Run R;
  R.Object = Which;
  R.Disciplined = Disciplined;
  R.Count = X.Elements;
  Pattern P = O.ArrayPattern;

  if (X.By == Guard::Phase && Disciplined) {
    if (T.Part == None)
      return false;
    if (ReadPhase) {
      Purpose = Intent::ReadOnly;
    } else if (X.Elements == 1 || P == Pattern::Sweep || P == Pattern::Prefix) {
      if ((Which + Phase) % PartCount != T.Part)
        return false;
    } else if (P == Pattern::Stride || (P == Pattern::Mix && (Which + Phase) % 2)) {
      R.First = T.Part;
      R.Spacing = PartCount;
      R.Count = T.Part < X.Elements ? (X.Elements - T.Part - 1) / PartCount + 1 : 0;
    } else {
      const uint32_t Size = (X.Elements - 1) / PartCount + 1;
      R.First = std::min(T.Part * Size, X.Elements);
      R.Count = std::min(Size, X.Elements - R.First);
    }
    if (R.Count == 0)
      return false;
    // A part that follows from the pattern is gone through as a whole.
    if (R.Count != X.Elements && (P == Pattern::Block || P == Pattern::Stride))
      P = Pattern::Sweep;
  }

  if (Purpose == Intent::Any)
    R.Writes = O.MixedRuns && Rng.below(4) == 0 ? O.WritePercent
               : Rng.percent(O.WritePercent)    ? 100
                                                : 0;
  else
    R.Writes = Purpose == Intent::Initialise ? 100 : 0;

  if (X.Kind != ObjectKind::Array) {
    R.Step = 0;
    R.Left = Rng.between(1, 1 + O.AccessPercent / (101 - O.AccessPercent));
  } else {
    if (P == Pattern::Mix)
      P = Pattern(Rng.below(NumPatterns - 1));
    choosePattern(R, Purpose == Intent::Initialise ? Pattern::Sweep : P);
  }
  R.Site = siteOf((uint64_t(Which) * NumPatterns + unsigned(P)) * 2 + (R.Writes != 0));
  T.Loop = R;
  T.InRun = true;
  return true;
}

/// Which of the R.Count elements are accessed, and in which order.
void RandomProgram::choosePattern(Run &R, Pattern P) {
  const uint32_t Parts = std::clamp(O.Parts ? O.Parts : Rng.between(2, 8), 1u, R.Count);
  switch (P) {
  case Pattern::Sweep:
    R.Left = R.Count;
    break;
  case Pattern::Block: {
    const uint32_t Size = (R.Count - 1) / Parts + 1;
    const uint32_t Blocks = (R.Count - 1) / Size + 1;
    R.I = Rng.below(Blocks) * Size;
    R.Left = std::min(Size, R.Count - R.I);
    break;
  }
  case Pattern::Stride:
    R.I = Rng.below(Parts);
    R.Step = int32_t(Parts);
    R.Left = (R.Count - R.I - 1) / Parts + 1;
    break;
  case Pattern::Prefix:
    R.Left = Rng.between(1, std::clamp(R.Count / 8, 1u, MaxPrefix));
    break;
  case Pattern::Random:
  case Pattern::Mix:
    R.Step = 0;
    R.Left = Rng.between(1, 8);
    return;
  }
  if (Rng.below(5) == 0) { // backwards
    R.I += (R.Left - 1) * uint32_t(R.Step);
    R.Step = -R.Step;
  }
}

/// The next access of the thread's run; false if the run is over.
bool RandomProgram::access(uint32_t Index, Operation &Op) {
  Run &R = Threads[Index].Loop;
  Object &X = Objects[R.Object];
  // Only the undisciplined use memory after its end, and they do not go on forever.
  if (R.Left == 0 || (!X.Live && (R.Disciplined || Rng.below(2)))) {
    Threads[Index].InRun = false;
    return false;
  }

  const bool Writes = R.Writes == 100 || (R.Writes && Rng.percent(R.Writes));
  std::pair<uint64_t, uint64_t> Bytes;
  if (X.Kind == ObjectKind::Array) {
    const uint32_t I = R.Step ? R.I : Rng.below(R.Count);
    Bytes.first = X.Base + uint64_t(R.First + I * R.Spacing) * X.ElementSize;
    Bytes.second = X.ElementSize;
    if (O.OddAccesses && Rng.percent(O.OddAccesses)) {
      if (R.Spacing == 1 && Rng.below(2)) {
        Bytes.second *= Rng.between(1, std::min(4u, R.Count - I));
      } else {
        const uint32_t Skipped = Rng.below(X.ElementSize);
        Bytes.first += Skipped;
        Bytes.second = Rng.between(1, X.ElementSize - Skipped);
      }
    }
    R.I += uint32_t(R.Step);
  } else {
    Bytes = piece(X);
  }
  --R.Left;
  emitMemory(Index, Writes ? OpKind::Write : OpKind::Read, Op, Bytes.first, Bytes.second,
             R.Site + R.Left % O.SitesPerPattern);
  return true;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

uint32_t RandomProgram::id(NameKind Kind, uint32_t Index) {
  uint32_t &Id = Ids[unsigned(Kind)][Index];
  if (Id == None) {
    static constexpr const char *Prefixes[NumNameKinds] = {"T", "m", "c", "b", "o", "prog.c:"};
    const uint32_t Number = Kind == NameKind::Site ? Index + 1 : Symbols.count(Kind);
    Id = Symbols.intern(Kind, Prefixes[unsigned(Kind)] + std::to_string(Number));
  }
  return Id;
}

/// All of a scalar, or the first element of an array.
std::pair<uint64_t, uint64_t> RandomProgram::whole(Object &X) {
  if (!X.Placed) {
    X.Base = Symbols.use(X.Name).Base;
    X.Placed = true;
  }
  return {X.Base, X.ElementSize};
}

/// All of it, or with MixedSizes a part of it or, for plain scalars, some bytes that
/// overlap it; of an array, one element.
std::pair<uint64_t, uint64_t> RandomProgram::piece(Object &X) {
  auto [Address, Size] = whole(X);
  if (X.Kind == ObjectKind::Array)
    return {Address + uint64_t(Rng.below(X.Elements)) * Size, Size};
  if (!O.MixedSizes || Rng.percent(65))
    return {Address, Size};
  const uint32_t Part = 1u << Rng.below(5);
  if (X.Kind == ObjectKind::Scalar && Rng.below(2))
    return {Address + Rng.below(16), Part};
  if (Part >= Size)
    return {Address, Size};
  return {Address + uint64_t(Rng.below(uint32_t(Size) / Part)) * Part, Part};
}

/// An operation that is no access to memory; its operand is number Target of the Name kind.
void RandomProgram::emit(uint32_t T, OpKind Kind, Operation &Op, NameKind Name, uint32_t Target) {
  Threads[T].HasRun = true;
  Op.Kind = Kind;
  Op.Thread = id(NameKind::Thread, T);
  Op.Target = Target == None ? 0 : id(Name, Target);
  finish(Op, siteOf(0x1000000 + Op.Target * NumOpKinds + unsigned(Kind)));
}

void RandomProgram::emitMemory(uint32_t T, OpKind Kind, Operation &Op, uint64_t Address,
                               uint64_t Size, uint32_t Site) {
  Threads[T].HasRun = true;
  Op.Kind = Kind;
  Op.Thread = id(NameKind::Thread, T);
  Op.Target = Address;
  Op.Size = Size;
  finish(Op, Site != None ? Site : siteOf(0x2000000 + Address * NumOpKinds + unsigned(Kind)));
}

void RandomProgram::finish(Operation &Op, uint32_t Site) {
  ++Emitted;
  Counted += Ready;
  Accesses += Ready && isAccess(Op.Kind);
  if (O.UniqueSites)
    Op.Site = SiteId(Emitted);
  else if (O.Sites)
    Op.Site = id(NameKind::Site, Site < O.Sites ? Site : Site % O.Sites);
}
