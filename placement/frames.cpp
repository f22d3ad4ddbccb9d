//===- frames.cpp - Calling contexts ----------------------------------------===//

#include "placement/frames.h"

#include "placement/locations.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace photofinish {

namespace {

/// Where control comes back to F other than by a return, and where it leaves F.
struct Crossings {
  SmallVector<Instruction *, 8> Landings; // insert before
  SmallVector<Instruction *, 4> Leavings; // insert before
};

Crossings findCrossings(Function &F) {
  Crossings Found;
  SmallVector<InvokeInst *, 2> TwiceReturningInvokes;
  for (Instruction &I : instructions(F)) {
    if (I.isEHPad() && !isa<CatchSwitchInst>(I)) {
      Found.Landings.push_back(I.getNextNode());
    } else if (auto *Return = dyn_cast<ReturnInst>(&I)) {
      // Nothing may be between a call that must be a tail call and the return.
      Instruction *Tail = Return->getParent()->getTerminatingMustTailCall();
      Found.Leavings.push_back(Tail ? Tail : Return);
    } else if (isa<ResumeInst>(I)) {
      Found.Leavings.push_back(&I);
    } else if (auto *Cleanup = dyn_cast<CleanupReturnInst>(&I)) {
      if (Cleanup->unwindsToCaller())
        Found.Leavings.push_back(&I);
    } else if (auto *Call = dyn_cast<CallBase>(&I);
               Call && Call->hasFnAttr(Attribute::ReturnsTwice)) {
      if (auto *Invoke = dyn_cast<InvokeInst>(Call))
        TwiceReturningInvokes.push_back(Invoke);
      else if (!I.isTerminator())
        Found.Landings.push_back(I.getNextNode());
    }
  }
  for (InvokeInst *Invoke : TwiceReturningInvokes) {
    BasicBlock *Normal = Invoke->getNormalDest();
    if (!Normal->getSinglePredecessor())
      Normal = SplitEdge(Invoke->getParent(), Normal);
    Found.Landings.push_back(&*Normal->getFirstInsertionPt());
  }
  return Found;
}

} // namespace

void addFrame(Function &F, Contract &C) {
  Crossings Found = findCrossings(F);
  IRBuilder<> B(F.getContext());
  // Behind the allocas, which belong together, but before everything that may be a check.
  B.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(locationOfNothing(F));

  auto At = [&](Value *Base, size_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset);
  };
  auto Store = [&](Value *V, Value *To, size_t Alignment) {
    B.CreateAlignedStore(V, To, Align(Alignment), /*isVolatile=*/true);
  };
  auto SetTop = [&](Value *Top) {
    Store(Top, At(C.thread(B), offsetof(pf_thread_head, stack_top)), alignof(pf_frame *));
  };

  Value *Saved = B.CreateAlignedLoad(
      B.getPtrTy(), At(C.thread(B), offsetof(pf_thread_head, stack_top)), Align(8), "pf_frame");
  Value *Above = At(Saved, sizeof(pf_frame));
  SetTop(Above);
  Value *Return = B.CreateIntrinsic(Intrinsic::returnaddress, {}, {B.getInt32(0)});
  Store(B.CreatePtrToInt(Return, B.getInt64Ty()), At(Saved, offsetof(pf_frame, return_address)),
        alignof(uint64_t));
  Store(B.getInt32(0), At(Saved, offsetof(pf_frame, context)), alignof(uint32_t));

  auto SetTopAt = [&](ArrayRef<Instruction *> Points, Value *Top) {
    for (Instruction *I : Points) {
      B.SetInsertPoint(I);
      B.SetCurrentDebugLocation(locationFor(*I));
      SetTop(Top);
    }
  };
  SetTopAt(Found.Landings, Above);
  SetTopAt(Found.Leavings, Saved);
}

} // namespace photofinish
