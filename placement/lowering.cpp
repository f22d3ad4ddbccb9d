//===- lowering.cpp - Planned checks as values -------------------------------===//

#include "placement/lowering.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace photofinish {

namespace {

class Lowerer {
public:
  Lowerer(Function &F, DominatorTree &DT, LoopInfo &LI, ScalarEvolution &SE)
      : F(F), DT(DT), LI(LI), SE(SE), Computable(F, DT, SE),
        Expander(SE, F.getDataLayout(), "pf.path"), I64(Type::getInt64Ty(F.getContext())) {
    for (BasicBlock &B : F)
      Original.insert(&B);
  }

  LoweredCheck lower(const PlannedCheck &C) {
    Instruction *Before = C.Before ? C.Before : placeOn(C.From, C.To);
    LoweredCheck L = {.Before = Before,
                      .Origin = C.Origin,
                      .Write = C.What.Write,
                      .Bytes = C.What.Bytes,
                      .Pointer = addressOf(C, Before),
                      .Parts = C.Parts};
    if (!C.What.isRange())
      return L;
    L.Stride = Expander.expandCodeFor(C.What.Stride, I64, Before->getIterator());
    L.Count = Expander.expandCodeFor(C.What.Count, I64, Before->getIterator());
    if (C.Counted) {
      IRBuilder<> B(Before);
      Value *Iterations = iterationOf(*C.Counted, C.From, Before);
      if (C.WithCurrent)
        Iterations = B.CreateAdd(Iterations, B.getInt64(1));
      L.Count = B.CreateMul(L.Count, Iterations, "pf.count");
    }
    return L;
  }

  /// Checks on one edge that depend on a pointer that a loop reads in each iteration (Reread). At
  /// the end of an iteration, where the edge begins, it is compared with that of those before:
  ///
  ///   if (it has been another one)
  ///     check what those before have accessed, and what this one has
  struct Run {
    Instruction *End; // of an iteration
    Instruction *Exit;
    SmallVector<const PlannedCheck *, 4> Checks;
  };
  /// Before anything is split.
  void addTo(Run &R, const PlannedCheck &C) {
    R.End = C.From->getTerminator();
    R.Exit = placeOn(C.From, C.To);
    R.Checks.push_back(&C);
  }
  void lower(const Run &R, std::vector<LoweredCheck> &Lowered) {
    const Loop &L = *R.Checks[0]->Counted;
    SmallSetVector<Value *, 4> Bases;
    SmallVector<Value *, 4> Distances;
    for (const PlannedCheck *C : R.Checks) {
      Bases.insert(C->Bases.begin(), C->Bases.end());
      Distances.push_back(Expander.expandCodeFor(C->What.Start, I64, R.End->getIterator()));
    }
    BasicBlock *Header = L.getHeader();
    PHINode *Last =
        PHINode::Create(Bases[0]->getType(), pred_size(Header), "pf.base", Header->begin());
    PHINode *Count = PHINode::Create(I64, pred_size(Header), "pf.run", Header->begin());
    IRBuilder<> B(R.End);
    Value *Now = B.CreateSelect(B.CreateICmpEQ(Count, B.getInt64(0)), Bases[0], Last);
    Value *IsOther = B.getFalse();
    for (Value *Base : Bases)
      IsOther = B.CreateOr(IsOther, B.CreateICmpNE(Base, Now));
    Value *OneMore = B.CreateAdd(Count, B.getInt64(1), "", /*HasNUW=*/true);
    BasicBlock *Before = R.End->getParent();
    DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
    Instruction *Changed = SplitBlockAndInsertIfThen(
        IsOther, R.End, /*Unreachable=*/false,
        MDBuilder(F.getContext()).createUnlikelyBranchWeights(), &Updater, &LI);
    BasicBlock *After = R.End->getParent();
    PHINode *Next = PHINode::Create(I64, 2, "pf.run.next", After->begin());
    Next->addIncoming(OneMore, Before);
    Next->addIncoming(B.getInt64(0), Changed->getParent());
    for (BasicBlock *Pred : predecessors(Header)) {
      Last->addIncoming(L.contains(Pred) ? Now : Constant::getNullValue(Last->getType()), Pred);
      Count->addIncoming(L.contains(Pred) ? static_cast<Value *>(Next) : B.getInt64(0), Pred);
    }
    for (const auto &[C, Distance] : zip(R.Checks, Distances)) {
      auto *Step = cast<SCEVConstant>(C->What.Stride)->getValue();
      auto Add = [&](Instruction *Place, Value *Base, Value *FromEnd, Value *HowMany, bool IsRare) {
        B.SetInsertPoint(Place);
        Value *First = B.CreateSub(Distance, B.CreateMul(FromEnd, Step));
        Lowered.push_back({.Before = Place,
                           .Origin = C->Origin,
                           .Write = C->What.Write,
                           .Bytes = C->What.Bytes,
                           .Pointer = B.CreatePtrAdd(Base, First),
                           .Stride = Step,
                           .Count = HowMany,
                           .Parts = C->Parts,
                           .IsRare = IsRare});
      };
      Add(Changed, Last, Count, Count, /*IsRare=*/true);
      auto AddOne = [&](const Access &A) {
        B.SetInsertPoint(Changed);
        Lowered.push_back({.Before = Changed,
                           .Origin = &A,
                           .Write = A.Write,
                           .Bytes = A.Bytes.getFixedValue(),
                           .Pointer = A.address(B),
                           .IsRare = true});
      };
      if (C->Parts.empty())
        AddOne(*C->Origin);
      for (const PlannedCheck::Part &P : C->Parts)
        AddOne(*P.Origin);
      B.SetInsertPoint(R.Exit);
      Add(R.Exit, Now, B.CreateSub(Next, B.getInt64(1)), Next, /*IsRare=*/false);
    }
  }

private:
  Instruction *placeOn(BasicBlock *From, BasicBlock *To) {
    Instruction *&Place = Places[{From, To}];
    if (Place)
      return Place;
    if (From->getUniqueSuccessor())
      return Place = From->getTerminator();
    To = nextTo(From, To);
    if (To->getUniquePredecessor())
      return Place = &*To->getFirstInsertionPt();
    if (BasicBlock *Between = SplitKnownCriticalEdge(
            From->getTerminator(), GetSuccessorNumber(From, To),
            CriticalEdgeSplittingOptions(&DT, &LI).setMergeIdenticalEdges(), "pf.edge"))
      return Place = Between->getTerminator();
    // Into a landing pad: a little early, but not before the access.
    return Place = From->getTerminator();
  }

  /// Splitting one edge out of a loop may put a block into another, too.
  BasicBlock *nextTo(BasicBlock *From, BasicBlock *To) const {
    if (is_contained(successors(From), To))
      return To;
    for (BasicBlock *Next : successors(From)) {
      BasicBlock *Last = Next;
      while (Last != To && Last && !Original.contains(Last))
        Last = Last->getUniqueSuccessor();
      if (Last == To)
        return Next;
    }
    llvm_unreachable("an edge that is not there");
  }

  Value *addressOf(const PlannedCheck &C, Instruction *Before) {
    const Access &A = *C.Origin;
    // The access's own, unless it is gone.
    if (!C.What.isRange() && DT.dominates(A.Pointer, Before) &&
        SE.getSCEV(A.Pointer) == withoutOffset(C)) {
      IRBuilder<> B(Before);
      return A.address(B);
    }
    return Expander.expandCodeFor(C.What.Start, PointerType::getUnqual(F.getContext()),
                                  Before->getIterator());
  }

  const SCEV *withoutOffset(const PlannedCheck &C) {
    return C.Origin->Offset
               ? SE.getAddExpr(C.What.Start, SE.getConstant(I64, -C.Origin->Offset, true))
               : C.What.Start;
  }

  /// How many iterations of L are complete when From, inside it, leaves it.
  Value *iterationOf(const Loop &L, BasicBlock *From, Instruction *Before) {
    const SCEV *Known = L.isLoopExiting(From) ? SE.getExitCount(&L, From) : SE.getCouldNotCompute();
    if (Computable.canCompute(Known, *L.getHeader()->getTerminator()))
      return Expander.expandCodeFor(SE.getTruncateOrZeroExtend(Known, I64), I64,
                                    Before->getIterator());
    PHINode *&Counter = Counters[&L];
    if (Counter)
      return Counter;
    BasicBlock *Header = L.getHeader();
    Counter = PHINode::Create(I64, pred_size(Header), "pf.iteration", Header->begin());
    IRBuilder<> B(Header, Header->getFirstInsertionPt());
    Value *Next = B.CreateAdd(Counter, B.getInt64(1), "pf.next", /*HasNUW=*/true);
    for (BasicBlock *Pred : predecessors(Header))
      Counter->addIncoming(L.contains(Pred) ? Next : B.getInt64(0), Pred);
    return Counter;
  }

  Function &F;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  Computability Computable;
  SCEVExpander Expander;
  Type *I64;
  SmallPtrSet<BasicBlock *, 32> Original;
  DenseMap<std::pair<BasicBlock *, BasicBlock *>, Instruction *> Places;
  DenseMap<const Loop *, PHINode *> Counters;
};

} // namespace

std::vector<LoweredCheck> lower(ArrayRef<PlannedCheck> Checks, Function &F, DominatorTree &DT,
                                LoopInfo &LI, ScalarEvolution &SE) {
  Lowerer L(F, DT, LI, SE);
  std::vector<LoweredCheck> Lowered;
  MapVector<std::pair<BasicBlock *, const SCEV *>, Lowerer::Run> Runs;
  for (const PlannedCheck &C : Checks)
    if (C.Reread)
      L.addTo(Runs[{C.From, C.Reread}], C);
    else
      Lowered.push_back(L.lower(C));
  for (auto &[Of, R] : Runs)
    L.lower(R, Lowered);
  return Lowered;
}

} // namespace photofinish
