//===- lockset.cpp - The lockset detector over traces ------------------------===//
//
// Operations on memory are cut into granules, the unit of the caches; what the cache
// does not answer goes on to the locations of the granule.
//
//===----------------------------------------------------------------------===//

#include "detector/offline/lockset.h"

using namespace photofinish;
using namespace photofinish::lockset;

void LocksetDetector::process(const Operation &Op) {
  if (Op.Kind == OpKind::Allocate)
    allocate(Op);
  else if (isAccess(Op.Kind))
    access(Op);
  else
    synchronize(Op);
  ++Index;
}

LocksetThread &LocksetDetector::thread(ThreadId Id) {
  if (Id >= Threads.size())
    Threads.resize(Id + 1);
  if (!Threads[Id])
    Threads[Id] = std::make_unique<LocksetThread>(Id);
  return *Threads[Id];
}

void LocksetDetector::synchronize(const Operation &Op) {
  LocksetThread &T = thread(Op.Thread);
  switch (Op.Kind) {
  case OpKind::Acquire:
    return T.acquire(Op.Target);
  case OpKind::ReadLock:
    return T.readLock(Op.Target);
  case OpKind::Release:
  case OpKind::ReadUnlock:
    return T.release(Op.Target);
  case OpKind::Wait:
    return T.release(Op.Lock);
  case OpKind::Wake:
    return T.acquire(Op.Lock);
  case OpKind::Join:
    thread(ThreadId(Op.Target)).dropCaches();
    return T.join(ThreadId(Op.Target));
  case OpKind::End:
    return T.dropCaches();
  default:
    return; // orders nothing, as far as locksets go
  }
}

void LocksetDetector::allocate(const Operation &Op) {
  Shadow.reset(Op.Target, Op.Size);
  for (const std::unique_ptr<LocksetThread> &T : Threads)
    if (T)
      T->forgetRange(Op.Target, Op.Size);
}

void LocksetDetector::access(const Operation &Op) {
  LocksetThread &T = thread(Op.Thread);
  Access A{isWriteAccess(Op.Kind) ? AccessType::Write : AccessType::Read, isAtomicAccess(Op.Kind),
           Op.Site};
  // Nobody frees twice, and a large block would sweep the cache clean.
  if (Op.Kind == OpKind::Free)
    return check(T, A, Op.Target, Op.Size);
  uint64_t Address = Op.Target, Left = Op.Size;
  while (Left) {
    uint64_t Room = GranuleBytes - Address % GranuleBytes;
    uint64_t Here = Left < Room ? Left : Room;
    uint64_t Granule = Address / GranuleBytes;
    uint8_t Bytes = byteMask(Address, Here);
    if (!T.cacheHit(A, Granule, Bytes)) {
      check(T, A, Address, Here);
      T.remember(A, Granule, Bytes);
    }
    Address += Here;
    Left -= Here;
  }
}

void LocksetDetector::check(LocksetThread &T, const Access &A, uint64_t Address, uint64_t Size) {
  Shadow.visit(Address, Size, [&](LocksetLocation &X, uint64_t At, uint64_t Bytes) {
    auto OnShared = [&](uint32_t Owner) {
      return thread(Owner).forget(At / GranuleBytes, byteMask(At, Bytes));
    };
    auto OnRace = [&](const StoredAccess &P) {
      Sink.report({At,
                   Bytes,
                   {P.Thread, P.Site, P.Type == AccessType::Write, P.IsAtomic},
                   {T.id(), A.Site, A.Type == AccessType::Write, A.IsAtomic},
                   Index});
    };
    rule::access(T, X, A, Nodes, OnShared, OnRace);
  });
}

uint64_t LocksetDetector::timesFired(Rule R) const {
  uint64_t Times = 0;
  for (const std::unique_ptr<LocksetThread> &T : Threads)
    Times += T ? T->timesFired(R) : 0;
  return Times;
}

std::vector<RuleCount> LocksetDetector::ruleCounts() const {
  std::vector<RuleCount> Counts;
  for (unsigned R = 0; R < NumRules; ++R)
    if (uint64_t Times = timesFired(Rule(R)))
      Counts.push_back({RuleNames[R], Times, RuleKinds[R]});
  return Counts;
}

ShadowSize LocksetDetector::shadowSize() const {
  ShadowSize Size;
  Shadow.forEach([&](const LocksetLocation &X, uint64_t) { Size.Elements += X.isTouched(); });
  Size.Cells = Nodes.nodes();
  Size.PeakCells = Nodes.peak();
  return Size;
}

bool LocksetDetector::isWellFormed() const {
  bool Good = true;
  Shadow.forEach([&](const LocksetLocation &X, uint64_t) { Good = Good && X.isWellFormed(); });
  return Good;
}

std::unique_ptr<Detector> photofinish::createLockset(RaceSink &Sink) {
  return std::make_unique<LocksetDetector>(Sink);
}
