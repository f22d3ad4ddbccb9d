//===- paths.cpp - Memory named by a function's values -----------------------===//

#include "placement/paths.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace photofinish {

Computability::Computability(Function &F, DominatorTree &DT, ScalarEvolution &SE) : DT(DT) {
  for (Instruction &I : instructions(F))
    if (I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::URem)
      if (SE.isSCEVable(I.getType()))
        Divisions[SE.getSCEV(I.getOperand(1))].push_back(&I);
}

bool Computability::canCompute(const SCEV *S, const Instruction &At) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Part))
      return !Recurrence->isAffine();
    const auto *Division = dyn_cast<SCEVUDivExpr>(Part);
    if (!Division)
      return isa<SCEVCouldNotCompute>(Part);
    if (const auto *Known = dyn_cast<SCEVConstant>(Division->getRHS()))
      return Known->getValue()->isZero();
    auto It = Divisions.find(Division->getRHS());
    return It == Divisions.end() ||
           none_of(It->second, [&](const Instruction *Made) { return DT.dominates(Made, &At); });
  });
}

PathTable::Number PathTable::intern(const Path &P) {
  auto [It, IsNew] =
      Numbers.try_emplace({P.Start, P.Bytes, P.Write, P.Stride, P.Count}, Number(Paths.size()));
  if (IsNew)
    Paths.push_back(P);
  return It->second;
}

bool PathTable::varies(Number N, const Loop &L) const {
  const Path &P = Paths[N];
  auto Varies = [&](const SCEV *S) { return S && !SE.isLoopInvariant(S, &L); };
  return Varies(P.Start) || Varies(P.Stride) || Varies(P.Count);
}

PathTable::Origins PathTable::origins(Number N) const {
  struct Collector {
    Origins Found;
    bool follow(const SCEV *S) {
      if (const auto *Value = dyn_cast<SCEVUnknown>(S)) {
        if (const auto *I = dyn_cast<Instruction>(Value->getValue()))
          Found.Instructions.push_back(I);
      } else if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S)) {
        Found.Loops.push_back(Recurrence->getLoop());
      }
      return true;
    }
    bool isDone() const { return false; }
  };
  Collector C;
  SCEVTraversal<Collector> Traversal(C);
  for (const SCEV *S : {Paths[N].Start, Paths[N].Stride, Paths[N].Count})
    if (S)
      Traversal.visitAll(S);
  return C.Found;
}

std::pair<const SCEV *, int64_t> PathTable::split(const SCEV *Address) const {
  if (const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Address);
      Recurrence && Recurrence->isAffine()) {
    auto [Base, Offset] = split(Recurrence->getStart());
    if (Offset)
      Address = SE.getAddRecExpr(Base, Recurrence->getStepRecurrence(SE), Recurrence->getLoop(),
                                 SCEV::FlagAnyWrap);
    return {Address, Offset};
  }
  const auto *Sum = dyn_cast<SCEVAddExpr>(Address);
  if (!Sum)
    return {Address, 0};
  const auto *First = dyn_cast<SCEVConstant>(Sum->getOperand(0));
  if (!First || First->getAPInt().getSignificantBits() > 32)
    return {Address, 0};
  SmallVector<const SCEV *, 4> Others(drop_begin(Sum->operands()));
  return {SE.getAddExpr(Others), First->getAPInt().getSExtValue()};
}

void PathTable::relate() {
  Covered.resize(Paths.size());
  Covering.resize(Paths.size());
  // Of one base; ranges cover only what is equal but for being a read.
  DenseMap<const SCEV *, SmallVector<std::pair<Number, int64_t>, 4>> ByBase;
  for (Number N = 0; N < size(); ++N) {
    auto [Base, Offset] = split(Paths[N].Start);
    ByBase[Base].push_back({N, Offset});
  }
  auto Covers = [&](Number A, int64_t AtA, Number B, int64_t AtB) {
    const Path &PA = Paths[A], &PB = Paths[B];
    if (A == B || (PB.Write && !PA.Write) || PA.Stride != PB.Stride || PA.Count != PB.Count)
      return false;
    if (PA.isRange())
      return AtA == AtB && PA.Bytes == PB.Bytes;
    return AtA <= AtB && AtB + int64_t(PB.Bytes) <= AtA + int64_t(PA.Bytes);
  };
  GroupOf.resize(Paths.size());
  for (auto &[Base, Members] : ByBase) {
    for (auto [A, AtA] : Members)
      GroupOf[A] = unsigned(Groups.size());
    Groups.push_back(to_vector<4>(make_first_range(Members)));
    for (auto [A, AtA] : Members)
      for (auto [B, AtB] : Members)
        if (Covers(A, AtA, B, AtB)) {
          Covered[A].push_back(B);
          Covering[B].push_back(A);
        }
  }
}

} // namespace photofinish
