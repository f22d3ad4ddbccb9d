//===- random_program_plan.cpp - What a thread does next -------------------===//
//
// Planning half of random_program.h: a thread whose script is over gets a new one.
// The guards decide what a disciplined script looks like; the shape of each is
//
//   Lock    acq m | [free, alloc] | runs | [wait c m | run] | unlock m
//   Owner   run, if the thread is the owner
//   Phase   run over the thread's part
//   Once    first: run (writes) | once o      later: once o | run (reads)
//   Flag    owner: run | release flag         next owner: acquire flag | run
//
//===----------------------------------------------------------------------===//

#include "trace/random_program.h"

#include <algorithm>
#include <iterator>

using namespace photofinish;
using namespace photofinish::program;

void RandomProgram::operate(uint32_t T, OpKind Kind, uint32_t Target, uint32_t Lock,
                            MemoryOrder Order, Step::Effect Then) {
  Step S;
  S.Kind = Kind;
  S.Target = Target;
  S.Lock = Lock;
  S.Order = Order;
  S.Then = Then;
  Threads[T].Script.push_back(S);
}

void RandomProgram::run(uint32_t T, uint32_t X, Intent Purpose, bool Disciplined) {
  Step S;
  S.What = Step::Do::Run;
  S.Target = X;
  S.Purpose = Purpose;
  S.Disciplined = Disciplined;
  Threads[T].Script.push_back(S);
}

/// Whoever may write an array may also free it and allocate it anew.
void RandomProgram::renew(uint32_t T, uint32_t X) {
  if (!O.AllocFree || Objects[X].Kind != ObjectKind::Array)
    return;
  const uint32_t Roll = Rng.below(8);
  if (Roll < 2)
    operate(T, OpKind::Free, X);
  if (Roll != 0)
    operate(T, OpKind::Allocate, X); // does nothing if the array is live
}

uint32_t RandomProgram::pickPlain() {
  if (O.Arrays && (!O.Variables || Rng.percent(O.ArrayPercent)))
    return O.Variables + Rng.below(O.Arrays);
  return O.Variables ? Rng.below(O.Variables) : None;
}

MemoryOrder RandomProgram::anyOrder(OpKind Kind) {
  using enum MemoryOrder;
  switch (Kind) {
  case OpKind::AtomicLoad:
    return Rng.pick({Relaxed, Consume, Acquire, Acquire, SeqCst});
  case OpKind::AtomicStore:
    return Rng.pick({Relaxed, Release, Release, SeqCst});
  case OpKind::Fence:
    return Rng.pick({Consume, Acquire, Release, AcqRel, SeqCst});
  default:
    return Rng.pick({Relaxed, Consume, Acquire, Release, AcqRel, SeqCst});
  }
}

bool RandomProgram::plan(uint32_t T) {
  if (O.Model == ThreadModel::Dynamic && planLife(T))
    return true;
  if (belowAccessAim() || O.AccessPercent == 100)
    return planAccess(T) || planSync(T);
  return planSync(T) || planAccess(T);
}

/// Dynamic threads: fork, end and join at a pace that spreads them over the trace.
bool RandomProgram::planLife(uint32_t Index) {
  Thread &T = Threads[Index];
  if (T.EndWanted) {
    // A member leaves in a round, which orders its accesses before the others' next ones.
    if (T.Member)
      return false;
    operate(Index, OpKind::End, None);
    return true;
  }
  if (NextUnborn < O.Threads && Emitted >= NextFork) {
    NextFork = Emitted + 1 + Rng.below(uint32_t(2 * std::min<uint64_t>(LifeInterval, 1u << 30)));
    operate(Index, OpKind::Fork, NextUnborn++);
    return true;
  }
  if (Emitted >= NextEnd && Active.size() > 2) {
    NextEnd = Emitted + 1 + Rng.below(uint32_t(2 * std::min<uint64_t>(LifeInterval, 1u << 30)));
    const uint32_t U = Active[Rng.below(uint32_t(Active.size()))];
    if (U != 0 && Threads[U].Now == Thread::Life::Running) {
      Threads[U].EndWanted = true;
      if (Threads[U].Member)
        callRound(true);
    }
  }
  for (uint32_t U = 1; U < NextUnborn; ++U)
    if (Threads[U].Now == Thread::Life::Ended && Rng.below(2)) {
      operate(Index, OpKind::Join, U);
      return true;
    }
  return false;
}

bool RandomProgram::planAccess(uint32_t T) {
  const bool Disciplined = Rng.percent(O.Discipline);
  if (O.Atomics && (Rng.percent(40) || O.Variables + O.Arrays == 0))
    return planAtomics(T, Disciplined);
  if (!Disciplined)
    return planUndisciplined(T);
  for (unsigned Tries = 0; Tries < 6; ++Tries) {
    const uint32_t X = pickPlain();
    if (X != None && planGuarded(T, X))
      return true;
  }
  return false;
}

/// A critical section under Lock: about object X, or about nothing if that is None.
void RandomProgram::planSection(uint32_t T, uint32_t Lock, uint32_t X) {
  const auto Way = [&] {
    return O.ReadLocks && Rng.percent(40) ? OpKind::ReadLock : OpKind::Acquire;
  };
  const OpKind Main = Way();
  const uint32_t Other = O.Locks > 1 && Rng.percent(O.Nesting) ? Rng.below(O.Locks) : Lock;
  if (Other < Lock)
    operate(T, Way(), Other);
  operate(T, Main, Lock);
  if (Other > Lock)
    operate(T, Way(), Other);

  const Intent Purpose = Main == OpKind::ReadLock ? Intent::ReadOnly : Intent::Any;
  if (X != None) {
    if (Main == OpKind::Acquire)
      renew(T, X);
    run(T, X, Purpose);
    Step S;
    S.What = Step::Do::MoreRuns;
    S.Purpose = Purpose;
    S.Target = Lock;
    Threads[T].Script.push_back(S);
  }
  if (O.Conditions && Main == OpKind::Acquire && Other <= Lock && Rng.percent(25)) {
    operate(T, OpKind::Wait, Rng.below(O.Conditions), Lock);
    if (X != None)
      run(T, X);
  }

  Step S;
  S.What = Step::Do::Unlock;
  S.Target = Lock;
  Threads[T].Script.push_back(S);
  if (Other != Lock) {
    S.Target = Other;
    llvm::SmallVectorImpl<Step> &Script = Threads[T].Script;
    Script.insert(Script.end() - Rng.below(2), S);
  }
}

/// Accesses to X as its guard has it; false if it is not T's turn.
bool RandomProgram::planGuarded(uint32_t T, uint32_t Index) {
  Object &X = Objects[Index];
  switch (X.By) {
  case Guard::Lock:
    planSection(T, X.GuardIndex, Index);
    return true;
  case Guard::Owner:
    if (X.Owner != T)
      return false;
    renew(T, Index);
    run(T, Index);
    return true;
  case Guard::Phase:
    if (Threads[T].Part == None)
      return false;
    run(T, Index);
    return true;
  case Guard::Once:
    if (X.Untouched) {
      X.Untouched = false;
      run(T, Index, Intent::Initialise);
      operate(T, OpKind::Once, X.GuardIndex);
      return true;
    }
    if (!OnceDone[X.GuardIndex])
      return false;
    operate(T, OpKind::Once, X.GuardIndex);
    run(T, Index, Intent::ReadOnly);
    return true;
  case Guard::Flag:
    return planHandOver(T, Index);
  }
  return false;
}

/// The owner of X publishes it by a release; whoever acquires the flag next owns it.
/// Others only read or modify the flag, which keeps the release sequence going.
bool RandomProgram::planHandOver(uint32_t T, uint32_t Index) {
  Object &X = Objects[Index];
  const uint32_t Flag = O.Variables + O.Arrays + X.GuardIndex;
  const uint32_t Way = Rng.below(3);
  if (X.Owner == T) {
    renew(T, Index);
    run(T, Index);
    if (Rng.percent(70)) {
      if (Way == 0)
        operate(T, OpKind::Fence, 0, 0, releaseOrder());
      const OpKind Kind = Rng.pick({OpKind::AtomicStore, OpKind::AtomicRmw});
      MemoryOrder Order = Way == 0 ? MemoryOrder::Relaxed : releaseOrder();
      if (Kind == OpKind::AtomicStore && Order == MemoryOrder::AcqRel)
        Order = MemoryOrder::Release;
      operate(T, Kind, Flag, Index, Order, Step::Effect::Publish);
    }
    return true;
  }
  if (!X.Published)
    return false;
  const OpKind Kind = Rng.pick({OpKind::AtomicLoad, OpKind::AtomicRmw});
  MemoryOrder Order = Way == 0 ? MemoryOrder::Relaxed : acquireOrder();
  if (Kind == OpKind::AtomicLoad && Order == MemoryOrder::AcqRel)
    Order = MemoryOrder::Consume;
  operate(T, Kind, Flag, Index, Order, Step::Effect::Take);
  if (Way == 0)
    operate(T, OpKind::Fence, 0, 0, acquireOrder());
  run(T, Index);
  return true;
}

bool RandomProgram::planAtomics(uint32_t T, bool Disciplined) {
  const uint32_t Plain = Disciplined ? None : pickPlain();
  const bool Publishes = Rng.below(2);
  if (Plain != None && Publishes)
    run(T, Plain, Intent::Any, false);
  for (unsigned Left = Rng.between(1, 2); Left; --Left) {
    const uint32_t Number = Rng.below(O.Atomics);
    uint32_t X = O.Variables + O.Arrays + Number;
    OpKind Kind = Rng.pick({OpKind::AtomicLoad, OpKind::AtomicStore, OpKind::AtomicRmw});
    if (!Disciplined && Plain != None && Rng.percent(15))
      X = Plain;
    else if (Disciplined && FlagTaken[Number] && Kind == OpKind::AtomicStore)
      Kind = OpKind::AtomicRmw;
    if (Rng.percent(15))
      operate(T, OpKind::Fence, 0, 0, anyOrder(OpKind::Fence));
    operate(T, Kind, X, 0, anyOrder(Kind));
    if (Rng.percent(10))
      operate(T, OpKind::Fence, 0, 0, anyOrder(OpKind::Fence));
    if (!Disciplined && Rng.percent(10))
      run(T, X, Intent::Any, false); // an atomic variable accessed as if it were none
  }
  if (Plain != None && !Publishes)
    run(T, Plain, Intent::Any, false);
  return true;
}

/// Some object under some locks, or under none.
bool RandomProgram::planUndisciplined(uint32_t T) {
  const uint32_t X = pickPlain();
  if (X == None)
    return false;
  llvm::SmallVector<uint32_t, 2> Taken;
  if (O.Locks)
    for (unsigned Left = Rng.pick({0u, 0u, 0u, 1u, 1u, 2u}); Left; --Left)
      Taken.push_back(Rng.below(O.Locks));
  llvm::sort(Taken);
  Taken.erase(std::unique(Taken.begin(), Taken.end()), Taken.end());
  for (uint32_t Lock : Taken)
    operate(T, O.ReadLocks && Rng.percent(40) ? OpKind::ReadLock : OpKind::Acquire, Lock);

  const bool OnceBefore = O.Once && Rng.percent(15);
  const bool OnceAfter = O.Once && Rng.percent(15);
  if (OnceBefore)
    operate(T, OpKind::Once, Rng.below(O.Once));
  if (Rng.percent(50))
    renew(T, X);
  run(T, X, Intent::Any, false);
  if (OnceAfter)
    operate(T, OpKind::Once, Rng.below(O.Once));

  while (!Taken.empty()) {
    Step S;
    S.What = Step::Do::Unlock;
    auto *Which = Taken.begin() + Rng.below(uint32_t(Taken.size()));
    S.Target = *Which;
    Threads[T].Script.push_back(S);
    Taken.erase(Which);
  }
  return true;
}

/// Synchronisation for its own sake.
bool RandomProgram::planSync(uint32_t T) {
  enum Choice { Section, Notify, Fence, Once, Barrier };
  llvm::SmallVector<Choice, 16> Choices;
  Choices.append(O.Locks ? 2 : 0, Section);
  Choices.append(O.Conditions ? 1 : 0, Notify);
  Choices.append(O.Atomics ? 1 : 0, Fence);
  Choices.append(O.Once ? 1 : 0, Once);
  Choices.append(O.Barriers ? 1 : 0, Barrier);
  if (Choices.empty())
    return false;
  switch (Choices[Rng.below(uint32_t(Choices.size()))]) {
  case Section: {
    const uint32_t Lock = Rng.below(O.Locks);
    // The fewer accesses are wanted, the more sections are about nothing.
    const std::vector<uint32_t> &Mine = Guarded[Lock];
    const bool Empty = Mine.empty() || !Rng.percent(O.AccessPercent) || !Rng.percent(O.Discipline);
    planSection(T, Lock, Empty ? None : Mine[Rng.below(uint32_t(Mine.size()))]);
    return true;
  }
  case Notify:
    operate(T, OpKind::Notify, Rng.below(O.Conditions));
    return true;
  case Fence:
    operate(T, OpKind::Fence, 0, 0, anyOrder(OpKind::Fence));
    return true;
  case Once: {
    // The first once(o) must be the initialiser's, if there is one.
    const uint32_t Index = Rng.below(O.Once);
    if (OnceTaken[Index] && !OnceDone[Index] && Rng.percent(O.Discipline))
      return false;
    operate(T, OpKind::Once, Index);
    return true;
  }
  case Barrier:
    return callRound(HasPhases && Rng.percent(70)) && planAccess(T);
  }
  return false;
}

/// Decides who takes part in the next round; they arrive when their scripts are over.
bool RandomProgram::callRound(bool Phases) {
  const uint32_t Barrier = Phases || O.Barriers == 1 ? 0 : Rng.between(1, O.Barriers - 1);
  if (Collecting.Barrier != None || Closing[Barrier] || (Barrier == 0 && HasPhases && !Phases))
    return false;
  const auto Joins = [&](uint32_t T) {
    return Threads[T].Now == Thread::Life::Running &&
           (Phases ? Threads[T].Member : Rng.percent(70));
  };
  llvm::SmallVector<uint32_t, 16> Chosen;
  llvm::copy_if(Active, std::back_inserter(Chosen), Joins);
  const uint64_t Cost = 2 * Chosen.size();
  if (Chosen.size() < 2 || O.Operations - Emitted < closingCost() + Cost + 4)
    return false;
  for (uint32_t T : Chosen)
    Threads[T].Called = Threads[T].Collected = true;
  Collecting.Barrier = Barrier;
  Collecting.Missing = uint32_t(Chosen.size());
  Collecting.Phases = Phases;
  return true;
}
