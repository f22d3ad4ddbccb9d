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

/// The calls of the runtime in a leaf, if they are few, each behind a test that has failed, and
/// made once at most.
std::optional<SmallVector<CallInst *, 16>> fewRareCalls(Function &F, const LoopInfo &Loops) {
  constexpr size_t Few = 16;
  SmallVector<CallInst *, Few> Calls;
  for (Instruction &I : instructions(F)) {
    // Code generation may make calls of these, which are intercepted.
    if (isa<AnyMemIntrinsic>(I))
      return std::nullopt;
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !Call->getCalledFunction() || !isEntry(*Call->getCalledFunction()))
      continue;
    if (!isRareEntry(*Call->getCalledFunction()) || Loops.getLoopFor(Call->getParent()))
      return std::nullopt;
    Calls.push_back(Call);
  }
  if (Calls.size() > Few)
    return std::nullopt;
  return Calls;
}

class FrameEmitter {
public:
  FrameEmitter(Function &F, Contract &C) : B(F.getContext()), C(C) {}

  struct Frame {
    Value *Saved; ///< it
    Value *Above; ///< the first free one
  };
  Frame pushBefore(Instruction &I, DebugLoc Location) {
    B.SetInsertPoint(&I);
    B.SetCurrentDebugLocation(Location);
    Value *Saved = B.CreateAlignedLoad(
        B.getPtrTy(), at(C.thread(B), offsetof(pf_thread_head, stack_top)), Align(8), "pf_frame");
    Value *Above = at(Saved, sizeof(pf_frame));
    setTop(Above);
    Value *Return = B.CreateIntrinsic(Intrinsic::returnaddress, {}, {B.getInt32(0)});
    store(B.CreatePtrToInt(Return, B.getInt64Ty()), at(Saved, offsetof(pf_frame, return_address)),
          alignof(uint64_t));
    store(B.getInt32(0), at(Saved, offsetof(pf_frame, context)), alignof(uint32_t));
    return {Saved, Above};
  }
  void setTopBefore(Instruction &I, Value *Top) {
    B.SetInsertPoint(&I);
    B.SetCurrentDebugLocation(locationFor(I));
    setTop(Top);
  }

private:
  Value *at(Value *Base, size_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset);
  }
  void store(Value *V, Value *To, size_t Alignment) {
    B.CreateAlignedStore(V, To, Align(Alignment), /*isVolatile=*/true);
  }
  void setTop(Value *Top) {
    store(Top, at(C.thread(B), offsetof(pf_thread_head, stack_top)), alignof(pf_frame *));
  }

  IRBuilder<> B;
  Contract &C;
};

} // namespace

void addFrame(Function &F, Contract &C, const LoopInfo &Loops, bool IsLeaf) {
  FrameEmitter Emitter(F, C);
  if (IsLeaf)
    if (auto Calls = fewRareCalls(F, Loops)) {
      for (CallInst *Call : *Calls)
        Emitter.setTopBefore(*Call->getNextNode(),
                             Emitter.pushBefore(*Call, Call->getDebugLoc()).Saved);
      return;
    }
  Crossings Found = findCrossings(F);
  // Behind the allocas, which belong together, but before everything that may be a check.
  auto [Saved, Above] =
      Emitter.pushBefore(*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), locationOfNothing(F));
  for (Instruction *I : Found.Landings)
    Emitter.setTopBefore(*I, Above);
  for (Instruction *I : Found.Leavings)
    Emitter.setTopBefore(*I, Saved);
}

} // namespace photofinish
