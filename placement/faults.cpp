//===- faults.cpp - Where the program may crash ------------------------------===//

#include "placement/faults.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace photofinish {

namespace {

/// The pointers that an instruction accesses memory through itself.
SmallVector<const Value *, 2> pointersOf(const Instruction &I) {
  if (const Value *Pointer = getLoadStorePointerOperand(&I))
    return {Pointer};
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return {RMW->getPointerOperand()};
  if (const auto *CX = dyn_cast<AtomicCmpXchgInst>(&I))
    return {CX->getPointerOperand()};
  if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(&I))
    return {Transfer->getRawDest(), Transfer->getRawSource()};
  if (const auto *Memory = dyn_cast<AnyMemIntrinsic>(&I))
    return {Memory->getRawDest()};
  return {};
}

bool isAlwaysValid(const Value &Base, const DataLayout &DL) {
  if (isa<AllocaInst>(Base))
    return true;
  if (const auto *G = dyn_cast<GlobalVariable>(&Base))
    return !G->hasExternalWeakLinkage();
  bool CanBeNull = false, CanBeFreed = false;
  return Base.getPointerDereferenceableBytes(DL, CanBeNull, CanBeFreed) > 0 && !CanBeNull;
}

/// What may crash, whatever the pointers are.
bool mayFaultAnyway(const Instruction &I) {
  if (I.isIntDivRem())
    return !isa<Constant>(I.getOperand(1)) || cast<Constant>(I.getOperand(1))->isNullValue();
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    if (Intrinsic->isAssumeLikeIntrinsic() || isa<AnyMemIntrinsic>(I))
      return false;
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && !Call->doesNotAccessMemory();
}

class FaultFinder {
public:
  FaultFinder(Function &F, const ModuleEffects &TheEffects) : F(F), TheEffects(TheEffects) {}

  SmallPtrSet<const Instruction *, 32> run() {
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        for (const Value *Pointer : pointersOf(I))
          Bases.try_emplace(getUnderlyingObject(Pointer), Bases.size());
    ReversePostOrderTraversal<const Function *> Order(&F);
    DenseMap<const BasicBlock *, BitVector> Out;
    SmallPtrSet<const Instruction *, 32> Found;
    for (bool Changed = true; Changed;) {
      Changed = false;
      Found.clear();
      for (const BasicBlock *B : Order) {
        BitVector Valid(Bases.size(), !pred_empty(B));
        for (const BasicBlock *Before : predecessors(B))
          if (auto It = Out.find(Before); It != Out.end())
            Valid &= It->second;
        follow(*B, Valid, Found);
        auto [It, IsNew] = Out.try_emplace(B, Valid);
        Changed |= IsNew || It->second != Valid;
        It->second = Valid;
      }
    }
    return Found;
  }

private:
  void follow(const BasicBlock &B, BitVector &Valid,
              SmallPtrSetImpl<const Instruction *> &Found) const {
    for (const Instruction &I : B) {
      // Computed anew.
      if (auto It = Bases.find(&I); It != Bases.end())
        Valid.reset(It->second);
      if (mayFaultAnyway(I))
        Found.insert(&I);
      for (const Value *Pointer : pointersOf(I)) {
        const Value *Base = getUnderlyingObject(Pointer);
        unsigned Number = Bases.lookup(Base);
        if (!Valid.test(Number) && !isAlwaysValid(*Base, F.getDataLayout()))
          Found.insert(&I);
        Valid.set(Number);
      }
      if (TheEffects.of(I).Frees)
        Valid.reset();
    }
  }

  Function &F;
  const ModuleEffects &TheEffects;
  DenseMap<const Value *, unsigned> Bases;
};

} // namespace

SmallPtrSet<const Instruction *, 32> findFaults(Function &F, const ModuleEffects &TheEffects) {
  return FaultFinder(F, TheEffects).run();
}

} // namespace photofinish
