//===- emission.cpp - Checks as code ----------------------------------------===//

#include "placement/emission.h"

#include "placement/inlined_test.h"
#include "placement/locations.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace photofinish {

namespace {

cl::opt<size_t> LargeModule(
    "photofinish-inline-limit", cl::init(1500), cl::Hidden,
    cl::desc("Loads and stores of a module beyond which only some accesses have inlined tests"));
/// Then so many accesses of a function, or of its innermost loops, have some.
constexpr size_t FewTests = 4, MostTests = 64;

/// Up to here a copy stays an intrinsic, which becomes a few instructions.
constexpr uint64_t SmallCopyBytes = 64;

unsigned flagsOf(bool Write) { return Write ? PF_SITE_WRITE : 0; }

/// Whether lane Lane of A is active; an i1, constant if the mask is.
Value *laneIsActive(IRBuilderBase &B, const Access &A, Value *Lane) {
  Value *Mask = A.Mask;
  Type *Element = Mask->getType()->getScalarType();
  if (Element->isIntegerTy(1))
    return B.CreateExtractElement(Mask, Lane);
  // x86: the sign bit counts, of floating-point elements, too.
  auto *Integers = VectorType::getInteger(cast<VectorType>(Mask->getType()));
  return B.CreateIsNeg(B.CreateExtractElement(B.CreateBitCast(Mask, Integers), Lane));
}

Value *laneAddress(IRBuilderBase &B, const Access &A, Value *Lane) {
  switch (A.Form) {
  case Access::Gathered:
    return B.CreateExtractElement(A.Pointer, Lane);
  case Access::Indexed: {
    Type *I64 = B.getInt64Ty();
    Value *Index = B.CreateSExt(B.CreateExtractElement(A.Index, Lane), I64);
    return B.CreatePtrAdd(A.Pointer, B.CreateMul(Index, B.CreateZExt(A.Scale, I64)));
  }
  default: {
    Type *I64 = B.getInt64Ty();
    Value *Step =
        A.Stride ? B.CreateSExtOrTrunc(A.Stride, I64) : B.getInt64(A.Bytes.getFixedValue());
    return B.CreatePtrAdd(A.Pointer, B.CreateMul(B.CreateZExtOrTrunc(Lane, I64), Step));
  }
  }
}

/// Where B can insert what comes after At, which does not throw.
void moveAfter(IRBuilderBase &B, Instruction &At) {
  B.SetInsertPoint(At.getNextNode());
  B.SetCurrentDebugLocation(locationFor(At));
}

} // namespace

Emitter::Emitter(Contract &C, SiteTable &Sites, const Module &M, bool InlineChecks, bool Verifies)
    : C(C), Sites(Sites), InlineChecks(InlineChecks), PlacedFlag(Verifies ? PF_SITE_CHECK : 0) {
  size_t NumAccesses = 0;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      NumAccesses += isa<LoadInst, StoreInst>(I);
  IsLarge = NumAccesses > LargeModule;
}

void Emitter::begin(Function &F, LoopInfo &TheLoops, ArrayRef<Access> Accesses) {
  Loops = &TheLoops;
  SmallVector<const Instruction *, 16> Lineless;
  for (const Access &A : Accesses)
    if (!A.At->getDebugLoc() || !A.At->getDebugLoc()->getLine())
      Lineless.push_back(A.At);
  Sites.locate(Lineless);
  Tested = Nowhere;
  if (!InlineChecks || F.hasOptSize() || F.hasOptNone())
    return;
  Tested = InInnermostLoops;
  if (!IsLarge || Accesses.size() <= FewTests)
    Tested = Everywhere;
  else if (size_t(count_if(Accesses, [&](const Access &A) {
             return isTestedIn(*A.At->getParent());
           })) > MostTests)
    Tested = Nowhere;
}

bool Emitter::isTestedIn(const BasicBlock &Block) const {
  const Loop *L = Tested == InInnermostLoops ? Loops->getLoopFor(&Block) : nullptr;
  return Tested == Everywhere || (L && L->isInnermost());
}

void Emitter::emit(const FunctionAccesses &Found) {
  for (const Access &A : Found.Plain)
    emitAccess(A);
  for (const MemoryOperation &M : Found.Memory)
    emitMemoryOperation(M);
  // After the checks of libatomic's buffers: nothing may be between begin and operation.
  for (const AtomicOperation &A : Found.Atomics)
    emitAtomic(A);
  for (const Fence &F : Found.Fences)
    emitFence(F);
}

void Emitter::announce(const Access &A) {
  IRBuilder<> B(A.At);
  B.SetCurrentDebugLocation(locationFor(*A.At));
  uint64_t Bytes = A.Bytes.getFixedValue();
  C.call(B, A.Write ? Entry::__pf_accessed_write : Entry::__pf_accessed_read,
         {A.address(B), B.getInt64(Bytes), Sites.site(*A.At, Bytes, flagsOf(A.Write))});
}

void Emitter::emit(ArrayRef<LoweredCheck> Checks) {
  MapVector<Instruction *, SmallVector<LoweredCheck, 4>> ByPlace;
  for (const LoweredCheck &L : Checks)
    ByPlace[L.Before].push_back(L);
  for (auto &[Place, Here] : ByPlace)
    emitGroups(Here);
}

void Emitter::emitGroups(ArrayRef<LoweredCheck> OfOnePlace) {
  struct Part {
    const LoweredCheck *Check;
    int64_t Offset;
  };
  const DataLayout &DL = OfOnePlace[0].Before->getDataLayout();
  MapVector<Value *, SmallVector<Part, 4>> ByBase;
  for (const LoweredCheck &L : OfOnePlace) {
    if (L.Stride || !entryForSize(L.Bytes, L.Write)) {
      emit(L);
      continue;
    }
    APInt Offset(64, 0);
    Value *Base =
        L.Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    ByBase[Base].push_back({&L, Offset.getSExtValue()});
  }
  for (auto &[Base, Parts] : ByBase) {
    sort(Parts, [](const Part &A, const Part &B) {
      return std::tie(A.Offset, A.Check) < std::tie(B.Offset, B.Check);
    });
    // Where a granule begins, if one knows: what is accessed may say so.
    std::optional<int64_t> Granule;
    for (const Part &P : Parts)
      if (P.Check->Origin->Alignment >= PF_GRANULE_BYTES)
        Granule = P.Offset;
    if (Base->getPointerAlignment(DL) >= PF_GRANULE_BYTES)
      Granule = 0;
    for (ArrayRef<Part> Rest = Parts; !Rest.empty();) {
      int64_t Start = Rest[0].Offset;
      if (Granule)
        Start -= (Start - *Granule) & (PF_GRANULE_BYTES - 1);
      size_t Count = 0;
      auto Fits = [&](const Part &P) {
        int64_t Offset = P.Offset - Start;
        return Offset + int64_t(P.Check->Bytes) <= PF_GROUP_BYTES &&
               (P.Check->Bytes < PF_GRANULE_BYTES || Offset % PF_GRANULE_BYTES == 0);
      };
      while (Count < Rest.size() && Fits(Rest[Count]))
        ++Count;
      if (Count < 2) {
        emit(*Rest[0].Check);
        Rest = Rest.drop_front();
        continue;
      }
      SmallVector<SiteTable::Member, 8> Members;
      for (const Part &P : Rest.take_front(Count))
        Members.push_back({unsigned(P.Offset - Start), unsigned(P.Check->Bytes), P.Check->Write,
                           Sites.site(*P.Check->Origin->At, P.Check->Bytes,
                                      flagsOf(P.Check->Write) | PlacedFlag)});
      Joined += Count - 1;
      IRBuilder<> B(Rest[0].Check->Before);
      B.SetCurrentDebugLocation(locationFor(*Rest[0].Check->Origin->At));
      Value *Address = B.CreateConstGEP1_64(B.getInt8Ty(), Base, uint64_t(Start));
      GroupBits Bits = SiteTable::bitsOf(Members);
      bool IsTested =
          isTestedIn(*B.GetInsertBlock()) && (Granule || !(Bits.Whole[0] | Bits.Whole[1]));
      if (IsTested)
        callUnless(B,
                   testGroup(B, C, Address, Bits,
                             Granule ? Align(PF_GRANULE_BYTES) : Rest[0].Check->Origin->Alignment));
      C.call(B, IsTested ? Entry::__pf_first_group : Entry::__pf_check_group,
             {Address, Sites.group(Members)});
      Rest = Rest.drop_front(Count);
    }
  }
}

void Emitter::emit(const LoweredCheck &L) {
  Instruction &At = *L.Origin->At;
  IRBuilder<> B(L.Before);
  B.SetCurrentDebugLocation(locationFor(At));
  if (std::optional<Entry> E = entryForSize(L.Bytes, L.Write); E && !L.Stride && L.IsRare) {
    C.call(B, *E, {L.Pointer, siteOf(B, L, L.Pointer, 0)});
    return;
  }
  if (!L.Stride)
    return check(B, At, L.Pointer, L.Bytes, L.Write, L.Origin->Alignment, PlacedFlag);
  auto *Known = dyn_cast<ConstantInt>(L.Stride);
  int64_t Stride = Known ? Known->getSExtValue() : 0;
  auto Period = uint64_t(std::abs(Stride));
  // One element beside the other, upwards or downwards: from the lowest on.
  if (Known && Period == L.Bytes) {
    Value *Bytes = B.CreateMul(L.Count, B.getInt64(L.Bytes));
    Value *First = L.Pointer;
    if (Stride < 0)
      First = B.CreatePtrAdd(First, B.CreateSub(B.getInt64(L.Bytes), Bytes));
    return checkRange(B, First, Bytes, L.Write, siteOf(B, L, First, Period));
  }
  C.call(B, L.Write ? Entry::__pf_write_strided : Entry::__pf_read_strided,
         {L.Pointer, B.getInt64(L.Bytes), L.Stride, L.Count, siteOf(B, L, L.Pointer, Period)});
}

Value *Emitter::siteOf(IRBuilderBase &B, const LoweredCheck &L, Value *Pointer, uint64_t Period) {
  unsigned Flags = flagsOf(L.Write) | PlacedFlag;
  if (L.Parts.empty())
    return Sites.site(*L.Origin->At, L.Bytes, Flags);
  Joined += L.Parts.size() - 1;
  SmallVector<Constant *, 16> OfBytes(Period);
  for (const PlannedCheck::Part &P : reverse(L.Parts))
    std::fill_n(OfBytes.begin() + P.Offset, P.Bytes, Sites.site(*P.Origin->At, P.Bytes, Flags));
  return Sites.inRow(B, Sites.row(OfBytes, Flags), Period, Pointer);
}

void Emitter::emitAccess(const Access &A) {
  IRBuilder<> B(A.At);
  B.SetCurrentDebugLocation(locationFor(*A.At));
  switch (A.Form) {
  case Access::Whole:
    if (A.Vptr) {
      Constant *Site = Sites.site(*A.At, A.Bytes.getFixedValue(), flagsOf(A.Write) | PF_SITE_VPTR);
      if (A.Write) {
        C.call(B, Entry::__pf_vptr_write, {A.Pointer, A.NewVptr, Site});
      } else if (A.Alignment >= PF_GRANULE_BYTES && isTestedIn(*B.GetInsertBlock())) {
        callUnless(B, testAccess(B, C, A.Pointer, PF_GRANULE_BYTES, /*Write=*/false));
        C.call(B, Entry::__pf_first_read8, {A.Pointer, Site});
      } else {
        C.call(B, Entry::__pf_vptr_read, {A.Pointer, Site});
      }
      return;
    }
    if (A.Bytes.isScalable()) {
      Value *Bytes = B.CreateTypeSize(B.getInt64Ty(), A.Bytes);
      checkRange(B, A.Pointer, Bytes, A.Write, siteOf(*A.At, Bytes, A.Write));
      return;
    }
    check(B, *A.At, A.address(B), A.Bytes.getFixedValue(), A.Write, A.Alignment);
    return;
  case Access::Range:
    checkRange(B, A.Pointer, A.Length, A.Write, siteOf(*A.At, A.Length, A.Write));
    return;
  case Access::Packed: {
    auto *Wide = VectorType::get(B.getInt64Ty(), A.LaneCount);
    Value *Active = B.CreateAddReduce(B.CreateZExt(A.Mask, Wide));
    Value *Bytes = B.CreateMul(Active, B.getInt64(A.Bytes.getFixedValue()));
    checkRange(B, A.Pointer, Bytes, A.Write, siteOf(*A.At, Bytes, A.Write));
    return;
  }
  case Access::Lanes:
  case Access::Gathered:
  case Access::Indexed:
    emitLanes(A);
    return;
  }
}

void Emitter::emitLanes(const Access &A) {
  auto EmitLane = [&](IRBuilderBase &B, Value *Lane) {
    B.SetCurrentDebugLocation(locationFor(*A.At));
    Value *Active = laneIsActive(B, A, Lane);
    if (auto *Known = dyn_cast<ConstantInt>(Active)) {
      if (Known->isZero())
        return;
    } else {
      B.SetInsertPoint(
          SplitBlockAndInsertIfThen(Active, B.GetInsertPoint(), /*Unreachable=*/false));
      B.SetCurrentDebugLocation(locationFor(*A.At));
    }
    check(B, *A.At, laneAddress(B, A, Lane), A.Bytes.getFixedValue(), A.Write,
          A.Stride ? Align(1) : A.Alignment);
  };
  Type *I64 = Type::getInt64Ty(A.At->getContext());
  if (A.Active)
    SplitBlockAndInsertForEachLane(A.Active, A.At, EmitLane);
  else
    SplitBlockAndInsertForEachLane(A.LaneCount, I64, A.At, EmitLane);
}

void Emitter::check(IRBuilderBase &B, Instruction &At, Value *Pointer, uint64_t Bytes, bool Write,
                    Align Alignment, unsigned MoreFlags) {
  Constant *Site = Sites.site(At, Bytes, flagsOf(Write) | MoreFlags);
  bool IsTested = isTestedIn(*B.GetInsertBlock());
  if (IsTested && Bytes > PF_GRANULE_BYTES && Bytes <= PF_TESTED_BYTES &&
      Bytes % PF_GRANULE_BYTES == 0 && Alignment >= PF_GRANULE_BYTES) {
    GroupBits Bits;
    Bits.Whole[Write] = maskTrailingOnes<uint64_t>(Bytes / PF_GRANULE_BYTES);
    callUnless(B, testGroup(B, C, Pointer, Bits, Alignment));
    C.call(B, Write ? Entry::__pf_first_write_range : Entry::__pf_first_read_range,
           {Pointer, B.getInt64(Bytes), Site});
    return;
  }
  IsTested &= Bytes <= PF_GRANULE_BYTES && Alignment >= Bytes;
  std::optional<Entry> E = entryForSize(Bytes, Write, IsTested);
  if (!E)
    return checkRange(B, Pointer, B.getInt64(Bytes), Write, Site);
  if (IsTested)
    callUnless(B, testAccess(B, C, Pointer, Bytes, Write));
  C.call(B, *E, {Pointer, Site});
}

void Emitter::checkRange(IRBuilderBase &B, Value *Pointer, Value *Bytes, bool Write, Value *Site) {
  C.call(B, Write ? Entry::__pf_write_range : Entry::__pf_read_range, {Pointer, Bytes, Site});
}

Constant *Emitter::siteOf(Instruction &At, Value *Bytes, bool Write) {
  auto *Known = dyn_cast<ConstantInt>(Bytes);
  return Sites.site(At, Known ? Known->getZExtValue() : 0, flagsOf(Write));
}

void Emitter::callUnless(IRBuilderBase &B, Value *Again) {
  MDNode *Unlikely = MDBuilder(B.getContext()).createUnlikelyBranchWeights();
  DebugLoc Location = B.getCurrentDebugLocation();
  B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateNot(Again), B.GetInsertPoint(),
                                             /*Unreachable=*/false, Unlikely,
                                             /*DTU=*/nullptr, Loops));
  B.SetCurrentDebugLocation(Location);
}

void Emitter::emitMemoryOperation(const MemoryOperation &M) {
  AnyMemIntrinsic &Call = *M.At;
  auto *Transfer = dyn_cast<AnyMemTransferInst>(&Call);
  IRBuilder<> B(&Call);
  B.SetCurrentDebugLocation(locationFor(Call));
  auto *Known = dyn_cast<ConstantInt>(Call.getLength());
  bool Stays = isa<AtomicMemIntrinsic>(Call) || cast<MemIntrinsic>(Call).isVolatile() ||
               isa<MemCpyInlineInst>(Call) || isa<MemSetInlineInst>(Call) ||
               (Transfer && M.CheckSource != M.CheckDestination) ||
               Call.getRawDest()->getType()->getPointerAddressSpace() != 0 ||
               (Known && Known->getZExtValue() <= SmallCopyBytes);
  if (Stays) {
    auto CheckSide = [&](Value *Pointer, bool Write, MaybeAlign Alignment) {
      if (Known)
        check(B, Call, Pointer, Known->getZExtValue(), Write, Alignment.valueOrOne());
      else
        checkRange(B, Pointer, Call.getLength(), Write, siteOf(Call, Call.getLength(), Write));
    };
    if (M.CheckSource)
      CheckSide(Transfer->getRawSource(), /*Write=*/false, Transfer->getSourceAlign());
    if (M.CheckDestination)
      CheckSide(Call.getRawDest(), /*Write=*/true, Call.getDestAlign());
    return;
  }
  uint64_t Bytes = Known ? Known->getZExtValue() : 0;
  Constant *Writes = Sites.site(Call, Bytes, PF_SITE_WRITE);
  if (Transfer)
    C.call(B, isa<AnyMemMoveInst>(Call) ? Entry::__pf_memmove : Entry::__pf_memcpy,
           {Call.getRawDest(), Transfer->getRawSource(), Call.getLength(), Writes,
            Sites.site(Call, Bytes, 0)});
  else
    C.call(B, Entry::__pf_memset,
           {Call.getRawDest(), cast<AnyMemSetInst>(Call).getValue(), Call.getLength(), Writes});
  Call.eraseFromParent();
}

void Emitter::emitAtomic(const AtomicOperation &A) {
  Instruction *At = A.At;
  // libatomic's functions do not throw, whatever their declaration says.
  if (auto *Invoke = dyn_cast<InvokeInst>(At))
    At = changeToCall(Invoke);
  bool Writes = A.Kind != AtomicOperation::Load;
  auto *Known = dyn_cast<ConstantInt>(A.Bytes);
  Constant *Site = Sites.site(*At, Known ? Known->getZExtValue() : 0,
                              PF_SITE_ATOMIC | (Writes ? PF_SITE_WRITE : 0));
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(locationFor(*At));
  C.call(B, Entry::__pf_atomic_begin, {A.Pointer, A.Bytes, Site});
  moveAfter(B, *At);

  auto Number = [&](pf_atomic_kind Kind) { return B.getInt32(Kind); };
  Value *Kind = nullptr;
  Value *Order = A.Order;
  Value *Success = nullptr;
  switch (A.Kind) {
  case AtomicOperation::Load:
    Kind = Number(PF_ATOMIC_LOAD);
    break;
  case AtomicOperation::Store:
    Kind = Number(PF_ATOMIC_STORE);
    break;
  case AtomicOperation::ReadModifyWrite:
    Kind = Number(PF_ATOMIC_RMW);
    break;
  case AtomicOperation::CompareExchange:
    Success = isa<AtomicCmpXchgInst>(At)      ? B.CreateExtractValue(At, 1)
              : At->getType()->isIntegerTy(1) ? At
                                              : B.CreateIsNotNull(At);
    Kind = B.CreateSelect(Success, Number(PF_ATOMIC_RMW), Number(PF_ATOMIC_LOAD));
    Order = B.CreateSelect(Success, A.Order, A.FailureOrder);
    break;
  }
  C.call(B, Entry::__pf_atomic_end, {A.Pointer, A.Bytes, Kind, Order, Site});

  if (A.Expected) {
    B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateNot(Success), B.GetInsertPoint(),
                                               /*Unreachable=*/false));
    B.SetCurrentDebugLocation(locationFor(*At));
    if (Known)
      check(B, *At, A.Expected, Known->getZExtValue(), /*Write=*/true, Align(1));
    else
      checkRange(B, A.Expected, A.Bytes, /*Write=*/true, siteOf(*At, A.Bytes, /*Write=*/true));
  }
}

void Emitter::emitFence(const Fence &F) {
  IRBuilder<> B(F.At);
  B.SetCurrentDebugLocation(locationFor(*F.At));
  C.call(B, Entry::__pf_fence, {B.getInt32(F.Order), Sites.site(*F.At, 0, PF_SITE_ATOMIC)});
}

} // namespace photofinish
