//===- contexts.cpp - Where checks go ----------------------------------------===//

#include "placement/contexts.h"

#include "placement/faults.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;

namespace photofinish {

namespace {

/// What one function may cost: statuses of its paths at its blocks, and looked at by its events.
constexpr uint64_t StatusBudget = uint64_t(8) << 20;
constexpr uint64_t EventBudget = uint64_t(64) << 20;

/// Up to here, checks in all iterations are no dearer than one of a range.
constexpr unsigned FewChecks = 16;

/// The loops that the edge leaves, inner ones first.
template <class Fn>
void forEachLeft(const LoopInfo &LI, const BasicBlock &From, const BasicBlock &To, Fn &&Visit) {
  for (Loop *L = LI.getLoopFor(&From); L && !L->contains(&To); L = L->getParentLoop())
    Visit(*L);
}

/// The loop whose next iteration the edge begins.
const Loop *begunAgain(const LoopInfo &LI, const BasicBlock &From, const BasicBlock &To) {
  const Loop *L = LI.getLoopFor(&To);
  return L && L->getHeader() == &To && L->contains(&From) ? L : nullptr;
}

} // namespace

std::optional<std::vector<PlannedCheck>> Contexts::place(const std::vector<Access> &TheAccesses,
                                                         std::vector<Access> &Rest,
                                                         PlacementCounts &Counts) {
  if (!isWithinReach())
    return std::nullopt;
  Accesses = &TheAccesses;
  PathOfAccess.resize(TheAccesses.size());
  for (size_t I = 0; I < TheAccesses.size(); ++I)
    if (Path P; pathOf(TheAccesses[I], P))
      PathOfAccess[I] = Paths.intern(P);
  if (!Paths.size())
    return std::nullopt;
  findEvents();
  findLoops();
  if (Mode == PlacementMode::BigFoot)
    findHaste();
  size_t EventCount = 0;
  for (const Block &B : Blocks)
    EventCount += B.Events.size();
  if (Blocks.size() * Paths.size() > StatusBudget || EventCount * Paths.size() > EventBudget) {
    ++Counts.TooLarge;
    return std::nullopt;
  }
  Paths.relate();
  anticipate();
  if (Mode == PlacementMode::BigFoot)
    checkBeforeLoops();
  flowForward();
  std::vector<PlannedCheck> Checks;
  plan(Checks);

  SmallPtrSet<const Access *, 16> HasOwn;
  for (const PlannedCheck &C : Checks) {
    HasOwn.insert(C.Origin);
    Counts.OutOfLoops += C.What.isRange();
  }
  Counts.Checks += Checks.size();
  for (size_t I = 0; I < TheAccesses.size(); ++I) {
    if (!PathOfAccess[I]) {
      Rest.push_back(TheAccesses[I]);
    } else {
      ++Counts.Accesses;
      Counts.Removed += !HasOwn.contains(&TheAccesses[I]);
    }
  }
  return Checks;
}

// Preparation.

bool Contexts::isWithinReach() const {
  for (const BasicBlock &B : F) {
    if (isa<IndirectBrInst>(B.getTerminator()) || isa<CallBrInst>(B.getTerminator()))
      return false;
    for (const Instruction &I : B)
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->hasFnAttr(Attribute::ReturnsTwice))
        return false;
  }
  ReversePostOrderTraversal<const Function *> Order(&F);
  return !containsIrreducibleCFG<const BasicBlock *>(Order, LI);
}

bool Contexts::pathOf(const Access &A, Path &P) const {
  if (A.Form != Access::Whole || A.Vptr || A.Bytes.isScalable() ||
      !(isa<LoadInst>(A.At) || isa<StoreInst>(A.At)) || A.At->isVolatile() ||
      A.Pointer->getType()->getPointerAddressSpace() != 0 ||
      !DT.isReachableFromEntry(A.At->getParent()))
    return false;
  Type *Index = F.getDataLayout().getIndexType(A.Pointer->getType());
  const SCEV *Start = SE.getAddExpr(SE.getSCEV(A.Pointer), SE.getConstant(Index, A.Offset));
  if (!Computable.canCompute(Start, *A.At))
    return false;
  // A value that a loop has left behind is not what its recurrence says.
  if (SCEVExprContains(Start, [&](const SCEV *S) {
        const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
        return Recurrence && !Recurrence->getLoop()->contains(A.At);
      }))
    return false;
  P = {.Start = Start, .Bytes = A.Bytes.getFixedValue(), .Write = A.Write};
  return true;
}

void Contexts::findEvents() {
  DenseMap<const Instruction *, SmallVector<unsigned, 1>> AccessesOf;
  for (unsigned I = 0; I < Accesses->size(); ++I)
    if (PathOfAccess[I])
      AccessesOf[(*Accesses)[I].At].push_back(I);

  SmallPtrSet<const Instruction *, 32> Faults = findFaults(F, TheEffects);
  ReversePostOrderTraversal<Function *> Order(&F);
  for (BasicBlock *BB : Order) {
    Numbers[BB] = unsigned(Blocks.size());
    Block &B = Blocks.emplace_back();
    B.Its = BB;
    for (Instruction &I : *BB) {
      if (auto It = AccessesOf.find(&I); It != AccessesOf.end())
        for (unsigned A : It->second)
          B.Events.push_back(
              {.At = &I, .Access = A, .ItsPath = *PathOfAccess[A], .IsAccess = true});
      Effects E = TheEffects.of(I);
      // Nothing comes between a call that must be a tail call and the return behind it.
      if (const auto *Call = dyn_cast<CallInst>(&I);
          isa<ReturnInst>(I) || (Call && Call->isMustTailCall()))
        E.NeverReturns = true;
      bool MayFault = Faults.contains(&I);
      if (E.any() || (MayFault && !AccessesOf.contains(&I)))
        B.Events.push_back({.At = &I, .MayFault = MayFault, .ItsEffects = E});
      else if (MayFault)
        for (Event &Its : reverse(B.Events)) {
          if (Its.At != &I)
            break;
          Its.MayFault = true;
        }
    }
  }
}

/// Which checks cannot wait: in loops that are left with ranges, as much waits as can.
void Contexts::findHaste() {
  auto IsRisky = [&](const Loop *L) { return is_contained(ClosedOver, L); };
  for (Block &B : Blocks) {
    const Loop *Outermost = nullptr;
    for (const Loop *L = LI.getLoopFor(B.Its); L; L = L->getParentLoop())
      if (IsRisky(L))
        Outermost = L;
    for (Event &E : B.Events) {
      if (E.MayFault && Outermost) {
        E.MayFault = false;
        Hasty.insert(Outermost);
      } else if (E.MayFault || E.ItsEffects.any()) {
        for (const Loop *L = LI.getLoopFor(B.Its); L; L = L->getParentLoop())
          Hasty.insert(L);
      }
      if (E.IsAccess)
        E.CannotWait =
            isa<LoadInst>(E.At) && E.At->getType()->isPointerTy() && !ClosedOver[E.ItsPath];
    }
  }
}

bool Contexts::checksAllOn(const BasicBlock &From, const BasicBlock &To) const {
  // Who knows whether there is an end to defer to?
  if (const Loop *Again = begunAgain(LI, From, To))
    return !isFiniteLoop(*Again);
  for (const Loop *L = LI.getLoopFor(&To); L && !L->contains(&From); L = L->getParentLoop())
    if (Hasty.contains(L))
      return true;
  return false;
}

void Contexts::findLoops() {
  auto Loops = LI.getLoopsInPreorder();
  for (const Loop *L : Loops)
    Finite[L] = isFinite(*L, SE);
  ClosedOver.resize(Paths.size());
  // Inner loops first: what leaves them as one range is a path of the loop around.
  for (Loop *L : reverse(Loops)) {
    if (Mode == PlacementMode::BigFoot)
      closeOver(*L);
  }
  Earlier.assign(Paths.size(), Status::checked());
  for (const Loop *L : Loops) {
    BitVector &Varying = VaryingIn[L];
    Varying.resize(Paths.size());
    for (PathNumber P = 0; P < Paths.size(); ++P)
      if (Paths.varies(P, *L))
        Varying.set(P);
  }
  for (PathNumber P = 0; P < Paths.size(); ++P) {
    PathTable::Origins Origins = Paths.origins(P);
    for (const Instruction *I : Origins.Instructions)
      EndsAt[I].push_back(P);
    for (const Loop *L : Origins.Loops)
      EndsAbove[L->getHeader()].push_back(P);
  }
}

std::optional<Path> Contexts::closed(const Path &P, const Loop &L, const SCEV *Iterations) const {
  const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(P.Start);
  if (!Recurrence || Recurrence->getLoop() != &L || !Recurrence->isAffine())
    return std::nullopt;
  const SCEV *Step = Recurrence->getStepRecurrence(SE);
  Path Whole = {.Start = Recurrence->getStart(), .Bytes = P.Bytes, .Write = P.Write};
  if (!P.isRange()) {
    Whole.Stride = Step;
    Whole.Count = Iterations;
    return Whole;
  }
  // Rows that join.
  if (!SE.isLoopInvariant(P.Stride, &L) || !SE.isLoopInvariant(P.Count, &L) ||
      SE.getMulExpr(P.Stride, P.Count) != Step)
    return std::nullopt;
  Whole.Stride = P.Stride;
  Whole.Count = SE.getMulExpr(P.Count, Iterations);
  return Whole;
}

/// All iterations make the access, and then they come to one place, where the pointers that they
/// have read are compared.
std::optional<Contexts::Reread> Contexts::reread(PathNumber N, const Loop &L) const {
  const BasicBlock *Latch = L.getLoopLatch();
  if (Paths[N].isRange() || !Latch || L.getExitingBlock() != Latch ||
      !isa<BranchInst>(Latch->getTerminator()))
    return std::nullopt;
  for (unsigned A = 0; A < Accesses->size(); ++A)
    if (const BasicBlock *Its = (*Accesses)[A].At->getParent();
        PathOfAccess[A] == N && (LI.getLoopFor(Its) != &L || !DT.dominates(Its, Latch)))
      return std::nullopt;
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Paths[N].Start));
  auto *Load = Base ? dyn_cast<LoadInst>(Base->getValue()) : nullptr;
  if (!Load || !L.contains(Load) || !Load->isSimple())
    return std::nullopt;
  const SCEV *At = SE.getSCEV(Load->getPointerOperand());
  const auto *Distance = dyn_cast<SCEVAddRecExpr>(SE.getMinusSCEV(Paths[N].Start, Base));
  if (!SE.isLoopInvariant(At, &L) || !Distance || Distance->getLoop() != &L ||
      !Distance->isAffine() || !isa<SCEVConstant>(Distance->getStepRecurrence(SE)))
    return std::nullopt;
  return Reread{Load, At, Distance};
}

/// Whether nothing happens in it but accesses, and it ends.
bool Contexts::isQuiet(const Loop &L) const {
  for (const BasicBlock *BB : L.blocks())
    for (const Event &E : blockOf(*BB).Events)
      if (E.ItsEffects.any())
        return false;
  return all_of(L.getLoopsInPreorder(), [&](const Loop *Inner) { return isFiniteLoop(*Inner); });
}

/// Whether a path that comes out of L with a few elements can become one with many around it.
bool Contexts::canBeClosedAgain(const Path &Once, const Loop &L) const {
  const Loop *Around = L.getParentLoop();
  if (!Around || !isQuiet(*Around))
    return false;
  const SCEV *Iterations = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Iterations))
    return false;
  Type *I64 = Type::getInt64Ty(F.getContext());
  Path Whole = Once;
  Whole.Count = SE.getMulExpr(
      Once.Count, SE.getAddExpr(SE.getTruncateOrZeroExtend(Iterations, I64), SE.getOne(I64)));
  return closed(Whole, *Around, SE.getOne(I64)).has_value();
}

/// What is known of its iterations, or else what the compiler expects: that each exit is rarely
/// taken. Several of them, as where strings are compared, and the loop is short.
bool Contexts::hasFewChecks(const Loop &L, unsigned EachTime) const {
  if (unsigned Known = SE.getSmallConstantTripCount(&L))
    return uint64_t(Known) * EachTime <= FewChecks;
  const BasicBlock *Header = L.getHeader();
  BlockFrequency Entered(0);
  for (const BasicBlock *From : predecessors(Header))
    if (!L.contains(From))
      Entered +=
          Frequencies.getBlockFreq(From) * Frequencies.getBPI()->getEdgeProbability(From, Header);
  return Frequencies.getBlockFreq(Header).getFrequency() / FewChecks < Entered.getFrequency();
}

/// How many paths of L, itself among them, will be checked with it (interleaving.h).
unsigned Contexts::countInterleaved(PathNumber N, const Loop &L) const {
  std::optional<Path> Whole = closed(Paths[N], L, SE.getOne(Type::getInt64Ty(F.getContext())));
  const auto *Stride = Whole ? dyn_cast<SCEVConstant>(Whole->Stride) : nullptr;
  if (!Stride)
    return 1;
  unsigned Count = 0;
  for (PathNumber Other = 0; Other < Paths.size(); ++Other) {
    const Path &P = Paths[Other];
    const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(P.Start);
    if (P.isRange() || P.Write != Whole->Write || !Recurrence || Recurrence->getLoop() != &L ||
        !Recurrence->isAffine() || Recurrence->getStepRecurrence(SE) != Stride)
      continue;
    const auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(P.Start, Paths[N].Start));
    Count += Distance && Distance->getAPInt().abs().ult(Stride->getAPInt().abs());
  }
  return Count;
}

void Contexts::closeOver(Loop &L) {
  if (!isQuiet(L))
    return;
  bool IsShort = hasFewChecks(L, 1);
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Exits;
  L.getExitEdges(Exits);
  Type *I64 = Type::getInt64Ty(F.getContext());
  const Instruction &Top = *L.getHeader()->getTerminator();
  auto CanCompute = [&](const SCEV *S) { return Computable.canCompute(S, Top); };
  PathNumber Before = Paths.size();
  for (PathNumber P = 0; P < Before; ++P) {
    if (ClosedOver[P] || !Paths.varies(P, L))
      continue;
    std::optional<Path> Once = closed(Paths[P], L, SE.getOne(I64));
    if (std::optional<Reread> Again = Once || IsShort ? std::nullopt : reread(P, L);
        Again && CanCompute(Again->Distance)) {
      ClosedOver[P] = &L;
      Rereads[P] = *Again;
      continue;
    }
    if (!Once || !CanCompute(Once->Start) || !CanCompute(Once->Stride) ||
        !CanCompute(Once->Count) ||
        (IsShort && !canBeClosedAgain(*Once, L) && hasFewChecks(L, countInterleaved(P, L))))
      continue;
    ClosedOver[P] = &L;
    for (auto [From, To] : Exits) {
      // One that leaves several loops at once is checked there.
      if (L.getParentLoop() && !L.getParentLoop()->contains(To))
        continue;
      Closing C = {.Inside = P, .From = From, .To = To, .WithCurrent = false, .Outside = {}};
      for (unsigned A = 0; A < Accesses->size(); ++A)
        if (PathOfAccess[A] == P && DT.dominates((*Accesses)[A].At->getParent(), From))
          C.WithCurrent = true;
      for (const auto &[Edge, Inner] : Closings)
        for (const Closing &I : Inner)
          if (I.Outside == P && DT.dominates(I.To, From))
            C.WithCurrent = true;
      const SCEV *Iterations = SE.getExitCount(&L, From);
      if (CanCompute(Iterations)) {
        Iterations = SE.getTruncateOrZeroExtend(Iterations, I64);
        if (C.WithCurrent)
          Iterations = SE.getAddExpr(Iterations, SE.getOne(I64));
        C.Outside = Paths.intern(*closed(Paths[P], L, Iterations));
      }
      Closings[{From, To}].push_back(C);
    }
  }
  ClosedOver.resize(Paths.size());
}

// The rules.

void Contexts::setChecked(History &H, PathNumber P) const {
  H[P] = Status::checked();
  for (PathNumber Weaker : Paths.covered(P))
    H[Weaker] = Status::checked();
}

/// [READ] and [WRITE]: the check is pending. Where checks are not deferred it comes at once, unless
/// there will be one later that covers this access, too.
template <class Emit> void Contexts::ruleAccess(History &H, const Event &E, Emit &&Check) const {
  if (!H[E.ItsPath].isNone())
    return;
  if (Mode == PlacementMode::BigFoot && !E.CannotWait) {
    H[E.ItsPath] = Status::pending(E.Access);
    return;
  }
  if (Mode == PlacementMode::RedCard && E.AnticipatedAfter.test(E.ItsPath))
    return;
  Check(E.ItsPath, E.Access);
  setChecked(H, E.ItsPath);
}

/// [ACQ], and [CALL] of what may not come back: nothing stays pending.
template <class Emit> void Contexts::checkPending(History &H, Emit &&Check) const {
  SmallVector<PathNumber, 8> Pending;
  for (PathNumber P = 0; P < H.size(); ++P)
    if (H[P].isPending()) {
      Check(P, H[P].access());
      Pending.push_back(P);
    }
  for (PathNumber P : Pending)
    setChecked(H, P);
}

/// [REL]: nothing is known any more; what is anticipated will be checked then.
template <class Emit> void Contexts::ruleRelease(History &H, const Event &E, Emit &&Check) const {
  for (PathNumber P = 0; P < H.size(); ++P) {
    if (H[P].isPending() && !(E.AnticipatedAfter.size() && E.AnticipatedAfter.test(P)))
      Check(P, H[P].access());
    H[P] = Status::none();
  }
}

/// [SEQ]: Check(event, path, access) for those that go before the event's instruction.
template <class Emit> void Contexts::follow(History &H, const Block &B, Emit &&Check) const {
  for (const Event &E : B.Events) {
    auto At = [&](PathNumber P, unsigned A) { Check(E, P, A); };
    if (E.MayFault || E.ItsEffects.Acquires || E.ItsEffects.mayLeave())
      checkPending(H, At);
    if (E.IsAccess)
      ruleAccess(H, E, At);
    if (E.ItsEffects.Releases || E.ItsEffects.Frees)
      ruleRelease(H, E, At);
  }
}

/// What is left of a path's status at the other end of an edge.
Contexts::History Contexts::across(const Block &From, const BasicBlock &To) const {
  History H = From.Out;
  auto Forget = [&](const Loop &L) {
    for (PathNumber P : VaryingIn.find(&L)->second.set_bits())
      H[P] = Status::none();
  };
  forEachLeft(LI, *From.Its, To, Forget);
  const Loop *Again = begunAgain(LI, *From.Its, To);
  if (Again)
    Forget(*Again);
  if (checksAllOn(*From.Its, To))
    for (Status &S : H)
      if (S.isPending())
        S = Status::checked();
  if (auto It = CheckedBefore.find(&To); It != CheckedBefore.end() && !Again)
    for (PathNumber P : It->second.set_bits())
      setChecked(H, P);
  // [LOOP]: what all iterations have accessed.
  if (auto It = Closings.find({From.Its, &To}); It != Closings.end())
    for (const Closing &C : It->second)
      if (C.Outside)
        H[*C.Outside] = closing(From, C);
  return H;
}

Contexts::Status Contexts::closing(const Block &From, const Closing &C) const {
  return C.WithCurrent ? Status::meet(Earlier[C.Inside], From.Out[C.Inside]) : Earlier[C.Inside];
}

/// [IF] and [LOOP]: what is pending at the beginning of an edge, and forgotten at its end, is
/// checked on it. Check(path, access, loop, with current): of the loop's earlier iterations and
/// maybe the current one or, without a loop, just so.
template <class Emit>
void Contexts::ruleEdge(const Block &From, const BasicBlock &To, Emit &&Check) const {
  const Block &Target = blockOf(To);
  History H = across(From, To);
  const Loop *Again = begunAgain(LI, *From.Its, To);
  bool ChecksAll = checksAllOn(*From.Its, To);

  auto IsAmong = [&](const Loop &L, PathNumber P) { return VaryingIn.find(&L)->second.test(P); };
  SmallVector<std::pair<PathNumber, unsigned>, 8> Now;
  for (PathNumber P = 0; P < Paths.size(); ++P) {
    Status S = From.Out[P];
    bool IsForgotten = Again && IsAmong(*Again, P);
    bool IsCarried = IsForgotten && ClosedOver[P] == Again && !Earlier[P].isNone();
    forEachLeft(LI, *From.Its, To, [&](const Loop &L) {
      if (!IsAmong(L, P))
        return;
      IsForgotten = true;
      if (ClosedOver[P] != &L)
        return;
      const Closing *Closes = nullptr;
      if (auto It = Closings.find({From.Its, &To}); It != Closings.end())
        for (const Closing &C : It->second)
          if (C.Inside == P && C.Outside && !closing(From, C).isNone())
            Closes = &C;
      if (Closes) {
        IsCarried = Closes->WithCurrent;
      } else if (Earlier[P].isPending()) {
        IsCarried = S == Earlier[P];
        Check(P, Earlier[P].access(), &L, IsCarried);
      }
    });
    bool IsCheckedAnyway = !Again && !ChecksAll && H[P].isChecked();
    if (S.isPending() && !IsCarried && !IsCheckedAnyway &&
        (IsForgotten || ChecksAll || (Target.In[P].isNone() && !Target.AnticipatedIn.test(P))))
      Now.push_back({P, S.access()});
  }
  // What has become a path on the edge.
  for (PathNumber P = 0; P < Paths.size(); ++P)
    if (H[P].isPending() && !From.Out[P].isPending() && Target.In[P].isNone())
      Now.push_back({P, H[P].access()});
  if (auto It = CheckedBefore.find(&To); It != CheckedBefore.end() && !Again)
    for (PathNumber P : It->second.set_bits())
      if (!From.Out[P].isChecked() && !(ChecksAll && From.Out[P].isPending()))
        Now.push_back({P, AccessOf[P]});
  for (auto [P, A] : Now) {
    bool IsCovered = any_of(Paths.covering(P), [&](PathNumber Stronger) {
      return !Target.In[Stronger].isNone() ||
             any_of(Now, [&](const auto &Other) { return Other.first == Stronger; });
    });
    if (!IsCovered)
      Check(P, A, nullptr, false);
  }
}

// The data flow.

void Contexts::anticipateThrough(Block &B, BitVector &A, bool Keep) {
  auto E = B.Events.rbegin();
  for (Instruction &I : reverse(*B.Its)) {
    for (; E != B.Events.rend() && E->At == &I; ++E) {
      if (Keep && (E->IsAccess ? Mode == PlacementMode::RedCard : E->ItsEffects.Releases))
        E->AnticipatedAfter = A;
      if (E->MayFault && E->IsAccess) {
        // Through a pointer of which nobody else can have accessed anything if it is a wild one.
        SmallVector<PathNumber, 4> Stay;
        for (PathNumber P : Paths.neighbours(E->ItsPath))
          if (A.test(P))
            Stay.push_back(P);
        A.reset();
        for (PathNumber P : Stay)
          A.set(P);
      } else if (E->MayFault || E->ItsEffects.Acquires || E->ItsEffects.mayLeave()) {
        A.reset();
      }
      if (E->IsAccess) {
        A.set(E->ItsPath);
        for (PathNumber Weaker : Paths.covered(E->ItsPath))
          A.set(Weaker);
      }
    }
    if (auto It = EndsAt.find(&I); It != EndsAt.end())
      for (PathNumber P : It->second)
        A.reset(P);
  }
  if (auto It = EndsAbove.find(B.Its); It != EndsAbove.end())
    for (PathNumber P : It->second)
      A.reset(P);
}

void Contexts::anticipate() {
  for (Block &B : Blocks)
    B.AnticipatedIn.resize(Paths.size(), true);
  auto Behind = [&](const Block &B) {
    BitVector A(Paths.size(), succ_size(B.Its) != 0);
    for (const BasicBlock *Next : successors(B.Its)) {
      const Loop *Again = begunAgain(LI, *B.Its, *Next);
      if (Again && !isFiniteLoop(*Again))
        A.reset();
      else
        A &= blockOf(*Next).AnticipatedIn;
    }
    return A;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Block &B : reverse(Blocks)) {
      BitVector A = Behind(B);
      anticipateThrough(B, A, /*Keep=*/false);
      Changed |= A != B.AnticipatedIn;
      B.AnticipatedIn = std::move(A);
    }
  }
  for (Block &B : Blocks) {
    BitVector A = Behind(B);
    anticipateThrough(B, A, /*Keep=*/true);
  }
}

/// What cannot wait and is the same in all iterations, up to the first release; the outermost loop
/// that it is so of is where it is checked.
void Contexts::checkBeforeLoops() {
  AccessOf.resize(Paths.size());
  for (Loop *L : LI.getLoopsInPreorder()) {
    bool Releases = false;
    BitVector Urgent(Paths.size());
    for (const BasicBlock *BB : L->blocks())
      for (const Event &E : blockOf(*BB).Events) {
        Releases |= E.ItsEffects.Releases || E.ItsEffects.Frees;
        if (E.IsAccess && (E.CannotWait || !isFiniteLoop(*L))) {
          Urgent.set(E.ItsPath);
          AccessOf[E.ItsPath] = E.Access;
        }
      }
    if (Releases)
      continue;
    Urgent &= blockOf(*L->getHeader()).AnticipatedIn;
    Urgent.reset(VaryingIn.find(L)->second);
    if (Urgent.any())
      CheckedBefore[L->getHeader()] = std::move(Urgent);
  }
}

void Contexts::flowForward() {
  auto Nothing = [](auto &&...) {};
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Block &B : Blocks) {
      History In(Paths.size(), pred_empty(B.Its) ? Status::none() : Status::checked());
      SmallPtrSet<const BasicBlock *, 4> Seen;
      for (const BasicBlock *From : predecessors(B.Its)) {
        if (!Seen.insert(From).second || !Numbers.contains(From) || !blockOf(*From).IsReached)
          continue;
        History H = across(blockOf(*From), *B.Its);
        for (PathNumber P = 0; P < Paths.size(); ++P)
          In[P] = Status::meet(In[P], H[P]);
      }
      // Never up again, so that it ends.
      if (B.IsReached) {
        for (PathNumber P = 0; P < Paths.size(); ++P)
          In[P] = Status::meet(In[P], B.In[P]);
        if (In == B.In)
          continue;
      }
      Changed = B.IsReached = true;
      B.In = In;
      follow(In, B, Nothing);
      B.Out = std::move(In);
      for (const BasicBlock *Next : successors(B.Its))
        if (const Loop *Again = begunAgain(LI, *B.Its, *Next))
          for (PathNumber P = 0; P < Paths.size(); ++P)
            if (ClosedOver[P] == Again)
              Earlier[P] = Status::meet(Earlier[P], B.Out[P]);
    }
  }
}

void Contexts::plan(std::vector<PlannedCheck> &Checks) {
  for (const Block &B : Blocks) {
    // Of the checks at one point, those that another covers are not needed.
    SmallVector<std::pair<PathNumber, unsigned>, 8> Now;
    Instruction *At = nullptr;
    auto Finish = [&] {
      for (auto [P, A] : Now)
        if (none_of(Paths.covering(P), [&](PathNumber Stronger) {
              return any_of(Now, [&](const auto &Other) { return Other.first == Stronger; });
            }))
          Checks.push_back({.Before = At, .What = Paths[P], .Origin = &(*Accesses)[A]});
      Now.clear();
    };
    History H = B.In;
    follow(H, B, [&](const Event &E, PathNumber P, unsigned A) {
      if (E.At != At)
        Finish();
      At = E.At;
      Now.push_back({P, A});
    });
    Finish();

    planEdges(B, Checks);
  }
}

void Contexts::planEdges(const Block &B, std::vector<PlannedCheck> &Checks) {
  SmallSetVector<BasicBlock *, 4> Targets(succ_begin(B.Its), succ_end(B.Its));
  // Of each check, on how many edges it is.
  DenseMap<std::pair<PathNumber, unsigned>, unsigned> Edges;
  for (BasicBlock *To : Targets)
    ruleEdge(B, *To, [&](PathNumber P, unsigned A, const Loop *Counted, bool) {
      if (!Counted && !B.Out[P].isNone())
        ++Edges[{P, A}];
    });
  for (BasicBlock *To : Targets)
    ruleEdge(B, *To, [&](PathNumber P, unsigned A, const Loop *Counted, bool WithCurrent) {
      PlannedCheck C = {.From = B.Its, .To = To, .What = Paths[P], .Origin = &(*Accesses)[A]};
      if (auto It = Counted ? Rereads.find(P) : Rereads.end(); It != Rereads.end()) {
        const Reread &R = It->second;
        // There is one place where its iterations end, and all that are pending go on.
        if (any_of(Paths.covering(P), [&](PathNumber Stronger) {
              return Rereads.contains(Stronger) && Earlier[Stronger].isPending();
            }))
          return;
        Type *I64 = Type::getInt64Ty(F.getContext());
        C.Counted = Counted;
        C.WithCurrent = true;
        C.Reread = R.At;
        C.Bases = {R.Base};
        C.What.Start = R.Distance;
        C.What.Stride = R.Distance->getStepRecurrence(SE);
        C.What.Count = SE.getOne(I64);
      } else if (Counted) {
        C.Counted = Counted;
        C.WithCurrent = WithCurrent;
        C.What = *closed(Paths[P], *Counted, SE.getOne(Type::getInt64Ty(F.getContext())));
      } else if (auto It = Edges.find({P, A}); It != Edges.end() && It->second == Targets.size()) {
        // On all of them: before they part.
        if (To != Targets.front())
          return;
        C.Before = B.Its->getTerminator();
      }
      Checks.push_back(C);
    });
}

} // namespace photofinish
