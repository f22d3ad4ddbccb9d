//===- happens_before.cpp - The synchronization half of a precise detector --===//
//
// From operations to the rules of detector/sync.h.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/happens_before.h"

#include "llvm/Support/ErrorHandling.h"

using namespace photofinish;

ThreadState &HappensBefore::addThread(ThreadId Id) {
  if (Id >= Threads.size())
    Threads.resize(size_t(Id) + 1);
  Threads[Id] = std::make_unique<ThreadState>(Id);
  return *Threads[Id];
}

void HappensBefore::synchronize(const Operation &Op) {
  ThreadState &T = thread(Op.Thread);
  switch (Op.Kind) {
  case OpKind::Acquire:
    return rule::acquire(T, Locks[Op.Target]);
  case OpKind::Release:
    return rule::release(T, Locks[Op.Target]);
  case OpKind::ReadLock:
    return rule::readLock(T, Locks[Op.Target]);
  case OpKind::ReadUnlock:
    return rule::readUnlock(T, Locks[Op.Target]);
  case OpKind::Wait:
    return rule::release(T, Locks[Op.Lock]);
  case OpKind::Wake:
    return rule::acquire(T, Locks[Op.Lock]);
  case OpKind::Fork:
    return rule::fork(T, thread(ThreadId(Op.Target)));
  case OpKind::Join: {
    ThreadState &U = thread(ThreadId(Op.Target));
    rule::join(T, U);
    if (Join == JoinRule::FastTrack)
      U.advance();
    return;
  }
  case OpKind::Arrive:
    RoundOf[Op.Thread] = rule::arrive(T, Barriers[Op.Target]);
    return;
  case OpKind::Depart:
    return rule::depart(T, Barriers[Op.Target], RoundOf[Op.Thread]);
  case OpKind::Once:
    return rule::once(T, Onces[Op.Target]);
  case OpKind::Fence:
    if (isAcquire(Op.Order))
      rule::fenceAcquire(T);
    if (isRelease(Op.Order))
      rule::fenceRelease(T);
    return;
  case OpKind::Begin:
  case OpKind::End:
  case OpKind::Notify:
    return;
  case OpKind::Read:
  case OpKind::Write:
  case OpKind::AtomicLoad:
  case OpKind::AtomicStore:
  case OpKind::AtomicRmw:
  case OpKind::Allocate:
  case OpKind::Free:
    break;
  }
  llvm_unreachable("not a synchronization operation");
}

/// Calls Visit(block number, mask) for the blocks of [Address, Address+Size).
template <class Fn> static void forEachBlock(uint64_t Address, uint64_t Size, Fn &&Visit) {
  while (Size) {
    uint64_t Offset = Address % AtomicBlock::Bytes;
    uint64_t Here = std::min<uint64_t>(Size, AtomicBlock::Bytes - Offset);
    Visit(Address / AtomicBlock::Bytes, uint16_t(((uint32_t(1) << Here) - 1) << Offset));
    Address += Here;
    Size -= Here;
  }
}

void HappensBefore::observeAtomic(const Operation &Op) {
  if (Op.Kind == OpKind::AtomicStore)
    return;
  ThreadState &T = thread(Op.Thread);
  forEachBlock(Op.Target, Op.Size, [&](uint64_t Block, uint16_t Mask) {
    if (auto It = Atomics.find(Block); It != Atomics.end())
      rule::observe(T, It->second, Mask, isAcquire(Op.Order));
  });
  if (Op.Kind == OpKind::AtomicLoad)
    T.fired(isAcquire(Op.Order) ? Rule::LoadAcquire : Rule::LoadRelaxed);
}

void HappensBefore::publishAtomic(const Operation &Op) {
  if (Op.Kind == OpKind::AtomicLoad)
    return;
  ThreadState &T = thread(Op.Thread);
  bool IsRmw = Op.Kind == OpKind::AtomicRmw;
  bool IsReleasing = isRelease(Op.Order);
  forEachBlock(Op.Target, Op.Size, [&](uint64_t Block, uint16_t Mask) {
    rule::publish(T, Atomics[Block], Mask, IsReleasing, IsRmw);
  });
  if (IsReleasing)
    T.advance();
  T.fired(IsRmw ? (IsReleasing ? Rule::RmwRelease : Rule::RmwRelaxed)
                : (IsReleasing ? Rule::StoreRelease : Rule::StoreRelaxed));
}

void HappensBefore::forget(uint64_t Address, uint64_t Size) {
  if (Atomics.empty())
    return;
  auto Forget = [&](uint64_t Block, uint16_t Mask) {
    auto It = Atomics.find(Block);
    if (It == Atomics.end())
      return;
    rule::forgetSequences(It->second, Mask);
    if (It->second.Parts.empty())
      Atomics.erase(It);
  };
  // A large allocation over few atomics: look at the atomics, not at the range.
  if (Size / AtomicBlock::Bytes <= Atomics.size())
    return forEachBlock(Address, Size, Forget);
  std::vector<uint64_t> Blocks;
  for (const auto &Entry : Atomics)
    Blocks.push_back(Entry.first);
  for (uint64_t Block : Blocks) {
    uint64_t Start = std::max(Block * AtomicBlock::Bytes, Address);
    uint64_t End = std::min(Block * AtomicBlock::Bytes + (AtomicBlock::Bytes - 1),
                            Address + (Size - 1)); // inclusive: the range may end the memory
    if (Start <= End)
      forEachBlock(Start, End - Start + 1, Forget);
  }
}

bool HappensBefore::changesClock(const Operation &Op) {
  switch (Op.Kind) {
  case OpKind::AtomicLoad:
    return isAcquire(Op.Order);
  case OpKind::AtomicStore:
    return isRelease(Op.Order);
  case OpKind::AtomicRmw:
    return isAcquire(Op.Order) || isRelease(Op.Order);
  case OpKind::Read:
  case OpKind::Write:
  case OpKind::Allocate:
  case OpKind::Free:
  case OpKind::Notify:
  case OpKind::Begin:
    return false;
  default:
    return true;
  }
}

std::vector<RuleCount> HappensBefore::ruleCounts() const {
  std::vector<RuleCount> Counts;
  for (unsigned R = 0; R < NumRules; ++R) {
    uint64_t Sum = 0;
    for (const auto &T : Threads)
      if (T)
        Sum += T->timesFired(Rule(R));
    if (Sum)
      Counts.push_back({RuleNames[R], Sum, RuleKinds[R]});
  }
  return Counts;
}
