//===- lowering.cpp - Planned checks as values -------------------------------===//

#include "placement/lowering.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
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
  for (const PlannedCheck &C : Checks)
    Lowered.push_back(L.lower(C));
  return Lowered;
}

} // namespace photofinish
