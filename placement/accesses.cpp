//===- accesses.cpp - What a function does to memory ------------------------===//

#include "placement/accesses.h"

#include "abi/abi.h"
#include "placement/effects.h"
#include "placement/libatomic.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace photofinish {

namespace {

unsigned orderOf(AtomicOrdering Ordering, SyncScope::ID Scope) {
  // Within one thread there is nothing to order.
  if (Scope == SyncScope::SingleThread)
    return PF_RELAXED;
  switch (Ordering) {
  case AtomicOrdering::NotAtomic:
  case AtomicOrdering::Unordered:
  case AtomicOrdering::Monotonic:
    return PF_RELAXED;
  case AtomicOrdering::Acquire:
    return PF_ACQUIRE;
  case AtomicOrdering::Release:
    return PF_RELEASE;
  case AtomicOrdering::AcquireRelease:
    return PF_ACQ_REL;
  case AtomicOrdering::SequentiallyConsistent:
    return PF_SEQ_CST;
  }
  llvm_unreachable("unknown ordering");
}

bool isVtableAccess(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  return Tag && Tag->isTBAAVtableAccess();
}

/// Counters of coverage and profiles: racy by design.
bool isProfileData(const GlobalVariable &G) {
  return G.getName().starts_with("__llvm_gcov") || G.getName().starts_with("__llvm_gcda") ||
         G.getName().starts_with("__profc_") || G.getName().starts_with("__profbm_") ||
         G.getSection().starts_with("llvm.metadata") || G.getSection().contains("__llvm_prf_");
}

class Finder {
public:
  Finder(Function &F, const TargetLibraryInfo &Libraries, bool PlainToo, Statistics &Stats)
      : F(F), Libraries(Libraries), DL(F.getDataLayout()), PlainToo(PlainToo), Stats(Stats) {}

  FunctionAccesses run() {
    for (Instruction &I : instructions(F))
      visit(I);
    Stats.Plain += Found.Plain.size();
    Stats.Memory += Found.Memory.size();
    Stats.Atomics += Found.Atomics.size();
    Stats.Fences += Found.Fences.size();
    return std::move(Found);
  }

private:
  void visit(Instruction &I) {
    if (auto *Call = dyn_cast<CallBase>(&I))
      noteCall(*Call);
    if (I.hasMetadata(LLVMContext::MD_nosanitize)) {
      Stats.ForeignSkipped += I.mayReadOrWriteMemory();
      return;
    }
    if (auto *Load = dyn_cast<LoadInst>(&I))
      visitLoad(*Load);
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      visitStore(*Store);
    else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      addAtomic(I, RMW->getPointerOperand(), RMW->getValOperand()->getType(),
                AtomicOperation::ReadModifyWrite,
                orderOf(RMW->getOrdering(), RMW->getSyncScopeID()));
    else if (auto *CX = dyn_cast<AtomicCmpXchgInst>(&I))
      visitCompareExchange(*CX);
    else if (auto *FI = dyn_cast<FenceInst>(&I))
      visitFence(*FI);
    else if (auto *Call = dyn_cast<CallBase>(&I))
      visitCall(*Call);
  }

  void noteCall(const CallBase &Call) {
    // A report may have to show this function below any other that accesses memory, or that is
    // intercepted.
    if (!isa<IntrinsicInst>(Call) && !Call.isInlineAsm() && !Call.doesNotAccessMemory() &&
        !isArithmetic(Call, Libraries))
      Found.HasCalls = true;
  }

  void visitLoad(LoadInst &Load) {
    if (Load.isAtomic()) {
      addAtomic(Load, Load.getPointerOperand(), Load.getType(), AtomicOperation::Load,
                orderOf(Load.getOrdering(), Load.getSyncScopeID()));
      return;
    }
    if (!wanted(Load.getPointerOperand(), /*Write=*/false))
      return;
    bool Vptr = isVtableAccess(Load) && Load.getType()->isPointerTy();
    if (Vptr)
      Found.Plain.push_back({.At = &Load,
                             .Pointer = Load.getPointerOperand(),
                             .Write = false,
                             .Bytes = DL.getTypeStoreSize(Load.getType()),
                             .Alignment = Load.getAlign(),
                             .Vptr = true});
    else
      addTyped(Load, Load.getPointerOperand(), Load.getType(), Load.getAlign(), /*Write=*/false);
  }

  void visitStore(StoreInst &Store) {
    Type *Ty = Store.getValueOperand()->getType();
    if (Store.isAtomic()) {
      addAtomic(Store, Store.getPointerOperand(), Ty, AtomicOperation::Store,
                orderOf(Store.getOrdering(), Store.getSyncScopeID()));
      return;
    }
    if (!wanted(Store.getPointerOperand(), /*Write=*/true))
      return;
    if (isVtableAccess(Store) && Ty->isPointerTy())
      Found.Plain.push_back({.At = &Store,
                             .Pointer = Store.getPointerOperand(),
                             .Write = true,
                             .Bytes = DL.getTypeStoreSize(Ty),
                             .Alignment = Store.getAlign(),
                             .Vptr = true,
                             .NewVptr = Store.getValueOperand()});
    else
      addTyped(Store, Store.getPointerOperand(), Ty, Store.getAlign(), /*Write=*/true);
  }

  void visitCompareExchange(AtomicCmpXchgInst &CX) {
    addAtomic(CX, CX.getPointerOperand(), CX.getCompareOperand()->getType(),
              AtomicOperation::CompareExchange,
              orderOf(CX.getSuccessOrdering(), CX.getSyncScopeID()),
              orderOf(CX.getFailureOrdering(), CX.getSyncScopeID()));
  }

  void visitFence(FenceInst &FI) {
    if (FI.getSyncScopeID() != SyncScope::SingleThread)
      Found.Fences.push_back({&FI, orderOf(FI.getOrdering(), FI.getSyncScopeID())});
  }

  void visitCall(CallBase &Call) {
    if (auto Atomic = libatomicOperation(Call)) {
      if (Value *&Expected = Atomic->Operation.Expected; Expected && !wanted(Expected, true))
        Expected = nullptr;
      Found.Atomics.push_back(Atomic->Operation);
      for (const auto &Buffer : Atomic->Buffers)
        addRange(Call, Buffer.Pointer, Atomic->Operation.Bytes, Buffer.Write);
      return;
    }
    if (!PlainToo)
      return;
    if (auto *Memory = dyn_cast<AnyMemIntrinsic>(&Call))
      visitMemoryIntrinsic(*Memory);
    else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
      visitIntrinsic(*Intrinsic);
    else if (Call.isInlineAsm())
      visitInlineAsm(Call);
    else
      visitByvalArguments(Call);
  }

  void visitMemoryIntrinsic(AnyMemIntrinsic &Call) {
    if (auto *Length = dyn_cast<ConstantInt>(Call.getLength()); Length && Length->isZero())
      return;
    auto *Transfer = dyn_cast<AnyMemTransferInst>(&Call);
    bool Destination = wanted(Call.getRawDest(), /*Write=*/true);
    bool Source = Transfer && wanted(Transfer->getRawSource(), /*Write=*/false);
    if (Destination || Source)
      Found.Memory.push_back({&Call, Destination, Source});
  }

  /// A copy of each is made for the callee.
  void visitByvalArguments(CallBase &Call) {
    for (unsigned I = 0; I < Call.arg_size(); ++I) {
      if (!Call.isByValArgument(I) || !wanted(Call.getArgOperand(I), /*Write=*/false))
        continue;
      Found.Plain.push_back({.At = &Call,
                             .Pointer = Call.getArgOperand(I),
                             .Write = false,
                             .Bytes = DL.getTypeAllocSize(Call.getParamByValType(I)),
                             .Alignment = Call.getParamAlign(I).valueOrOne()});
    }
  }

  /// Operands in memory are accesses; what else the instructions do is not known.
  void visitInlineAsm(CallBase &Call) {
    auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
    unsigned Argument = 0;
    for (const InlineAsm::ConstraintInfo &Constraint : Asm->ParseConstraints()) {
      if (!Constraint.hasArg())
        continue;
      unsigned I = Argument++;
      Type *Element = Constraint.isIndirect ? Call.getParamElementType(I) : nullptr;
      if (!Element || !Element->isSized())
        continue;
      bool Write = Constraint.Type == InlineAsm::isOutput;
      if (wanted(Call.getArgOperand(I), Write))
        Found.Plain.push_back({.At = &Call,
                               .Pointer = Call.getArgOperand(I),
                               .Write = Write,
                               .Bytes = DL.getTypeStoreSize(Element)});
    }
  }

  void visitIntrinsic(IntrinsicInst &Call) {
    switch (Call.getIntrinsicID()) {
    case Intrinsic::masked_load:
      addLanes(Call, Access::Lanes, Call.getArgOperand(0), Call.getType(), Call.getArgOperand(2),
               false, alignmentOf(Call, 1));
      return;
    case Intrinsic::masked_store:
      addLanes(Call, Access::Lanes, Call.getArgOperand(1), Call.getArgOperand(0)->getType(),
               Call.getArgOperand(3), true, alignmentOf(Call, 2));
      return;
    case Intrinsic::masked_gather:
      addLanes(Call, Access::Gathered, Call.getArgOperand(0), Call.getType(), Call.getArgOperand(2),
               false, alignmentOf(Call, 1));
      return;
    case Intrinsic::masked_scatter:
      addLanes(Call, Access::Gathered, Call.getArgOperand(1), Call.getArgOperand(0)->getType(),
               Call.getArgOperand(3), true, alignmentOf(Call, 2));
      return;
    case Intrinsic::masked_expandload:
      addLanes(Call, Access::Packed, Call.getArgOperand(0), Call.getType(), Call.getArgOperand(1),
               false, Align(1));
      return;
    case Intrinsic::masked_compressstore:
      addLanes(Call, Access::Packed, Call.getArgOperand(1), Call.getArgOperand(0)->getType(),
               Call.getArgOperand(2), true, Align(1));
      return;
    default:
      break;
    }
    if (auto *VP = dyn_cast<VPIntrinsic>(&Call); VP && VP->getMemoryPointerParam())
      visitVectorPredicated(*VP);
    else if (Call.getCalledFunction()->getName().starts_with("llvm.x86."))
      visitX86(Call);
  }

  void visitVectorPredicated(VPIntrinsic &Call) {
    Value *Data = Call.getMemoryDataParam();
    Type *Ty = Data ? Data->getType() : Call.getType();
    Value *Pointer = Call.getMemoryPointerParam();
    auto Form = Pointer->getType()->isVectorTy() ? Access::Gathered : Access::Lanes;
    size_t Before = Found.Plain.size();
    addLanes(Call, Form, Pointer, Ty, Call.getMaskParam(), Data != nullptr, Align(1));
    if (Found.Plain.size() == Before)
      return;
    Access &A = Found.Plain.back();
    A.Active = Call.getVectorLengthParam();
    if (Call.getIntrinsicID() == Intrinsic::experimental_vp_strided_load)
      A.Stride = Call.getArgOperand(1);
    if (Call.getIntrinsicID() == Intrinsic::experimental_vp_strided_store)
      A.Stride = Call.getArgOperand(2);
  }

  // The intrinsics that clang's headers for x86 use instead of the generic ones.
  void visitX86(IntrinsicInst &Call) {
    StringRef Name = Call.getCalledFunction()->getName();
    Name.consume_front("llvm.x86.");
    auto Operand = [&](unsigned I) { return Call.getArgOperand(I); };
    if (Name.starts_with("avx.maskload.") || Name.starts_with("avx2.maskload."))
      addLanes(Call, Access::Lanes, Operand(0), Call.getType(), Operand(1), false, Align(1));
    else if (Name.starts_with("avx.maskstore.") || Name.starts_with("avx2.maskstore."))
      addLanes(Call, Access::Lanes, Operand(0), Operand(2)->getType(), Operand(1), true, Align(1));
    else if (Name == "sse2.maskmov.dqu")
      addLanes(Call, Access::Lanes, Operand(2), Operand(0)->getType(), Operand(1), true, Align(1));
    else if (Name.starts_with("avx2.gather.") || Name.starts_with("avx512.mask.gather"))
      addIndexed(Call, Operand(1), Operand(2), Call.getType(), Operand(3), Operand(4), false);
    else if (Name.starts_with("avx512.mask.scatter"))
      addIndexed(Call, Operand(0), Operand(2), Operand(3)->getType(), Operand(1), Operand(4), true);
    else if (Call.mayReadOrWriteMemory() &&
             any_of(Call.args(), [](Value *V) { return V->getType()->isPointerTy(); }))
      ++Stats.NotUnderstood;
  }

  static Align alignmentOf(const CallBase &Call, unsigned Operand) {
    return cast<ConstantInt>(Call.getArgOperand(Operand))->getMaybeAlignValue().valueOrOne();
  }

  void addLanes(Instruction &At, Access::Extent Form, Value *Pointer, Type *Ty, Value *Mask,
                bool Write, Align Alignment) {
    if (!wanted(Pointer, Write))
      return;
    auto *Vector = cast<VectorType>(Ty);
    TypeSize Bytes = DL.getTypeStoreSize(Vector->getElementType());
    if (Form != Access::Gathered && Bytes * 8 != DL.getTypeSizeInBits(Vector->getElementType())) {
      // Lanes that share a byte.
      Found.Plain.push_back(
          {.At = &At, .Pointer = Pointer, .Write = Write, .Bytes = DL.getTypeStoreSize(Vector)});
      return;
    }
    if (Form != Access::Gathered)
      Alignment = commonAlignment(Alignment, Bytes.getFixedValue());
    Found.Plain.push_back({.At = &At,
                           .Pointer = Pointer,
                           .Write = Write,
                           .Form = Form,
                           .Bytes = Bytes,
                           .Alignment = Alignment,
                           .LaneCount = Vector->getElementCount(),
                           .Mask = Mask});
  }

  void addIndexed(Instruction &At, Value *Base, Value *Index, Type *Ty, Value *Mask, Value *Scale,
                  bool Write) {
    if (!wanted(Base, Write))
      return;
    // Four 64-bit indices gather four floats into a vector that may have room for more, and
    // two doubles need only two of four 32-bit indices.
    auto *Vector = cast<FixedVectorType>(Ty);
    unsigned LaneCount = std::min(Vector->getNumElements(),
                                  cast<FixedVectorType>(Index->getType())->getNumElements());
    Found.Plain.push_back({.At = &At,
                           .Pointer = Base,
                           .Write = Write,
                           .Form = Access::Indexed,
                           .Bytes = DL.getTypeStoreSize(Vector->getElementType()),
                           .LaneCount = ElementCount::getFixed(LaneCount),
                           .Mask = Mask,
                           .Index = Index,
                           .Scale = Scale});
  }

  void addRange(Instruction &At, Value *Pointer, Value *Length, bool Write) {
    if (!PlainToo || !wanted(Pointer, Write))
      return;
    Access A{.At = &At, .Pointer = Pointer, .Write = Write};
    if (auto *Known = dyn_cast<ConstantInt>(Length)) {
      A.Bytes = TypeSize::getFixed(Known->getZExtValue());
    } else {
      A.Form = Access::Range;
      A.Length = Length;
    }
    Found.Plain.push_back(A);
  }

  /// An access to a value of type Ty. One of a struct leaves its padding alone.
  void addTyped(Instruction &At, Value *Pointer, Type *Ty, Align Alignment, bool Write) {
    SmallVector<std::pair<uint64_t, TypeSize>, 4> Parts;
    appendParts(Ty, 0, Parts);
    for (auto [Offset, Bytes] : Parts)
      Found.Plain.push_back({.At = &At,
                             .Pointer = Pointer,
                             .Write = Write,
                             .Bytes = Bytes,
                             .Offset = Offset,
                             .Alignment = commonAlignment(Alignment, Offset)});
  }

  void appendParts(Type *Ty, uint64_t Offset,
                   SmallVectorImpl<std::pair<uint64_t, TypeSize>> &Parts) const {
    if (auto *Struct = dyn_cast<StructType>(Ty)) {
      const StructLayout *Layout = DL.getStructLayout(Struct);
      for (unsigned I = 0; I < Struct->getNumElements(); ++I)
        appendParts(Struct->getElementType(I),
                    Offset + Layout->getElementOffset(I).getKnownMinValue(), Parts);
      return;
    }
    if (auto *Array = dyn_cast<ArrayType>(Ty)) {
      uint64_t Step = DL.getTypeAllocSize(Array->getElementType());
      for (uint64_t I = 0; I < Array->getNumElements(); ++I)
        appendParts(Array->getElementType(), Offset + I * Step, Parts);
      return;
    }
    TypeSize Bytes = DL.getTypeStoreSize(Ty);
    if (Bytes.isZero())
      return;
    if (!Parts.empty() && !Bytes.isScalable() && !Parts.back().second.isScalable() &&
        Parts.back().first + Parts.back().second.getFixedValue() == Offset)
      Parts.back().second += Bytes;
    else
      Parts.emplace_back(Offset, Bytes);
  }

  void addAtomic(Instruction &At, Value *Pointer, Type *Ty, AtomicOperation::Operation Kind,
                 unsigned Order, std::optional<unsigned> FailureOrder = std::nullopt) {
    const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer, /*MaxLookup=*/0));
    if (isForeign(Pointer) || (G && isProfileData(*G))) {
      ++Stats.ForeignSkipped;
      return;
    }
    LLVMContext &Context = F.getContext();
    Type *I32 = Type::getInt32Ty(Context);
    Found.Atomics.push_back(
        {&At, Pointer,
         ConstantInt::get(Type::getInt64Ty(Context), DL.getTypeStoreSize(Ty).getFixedValue()), Kind,
         ConstantInt::get(I32, Order),
         FailureOrder ? ConstantInt::get(I32, *FailureOrder) : nullptr});
  }

  /// Relative to a segment register, or not memory at all.
  static bool isForeign(const Value *Pointer) {
    return Pointer->getType()->getPointerAddressSpace() != 0 || Pointer->isSwiftError();
  }

  bool wanted(Value *Pointer, bool Write) {
    if (!PlainToo)
      return false;
    if (isForeign(Pointer)) {
      ++Stats.ForeignSkipped;
      return false;
    }
    // Where vectors of pointers point is not tracked.
    if (Pointer->getType()->isVectorTy())
      return true;
    const Value *Base = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
    if (const auto *G = dyn_cast<GlobalVariable>(Base)) {
      if (isProfileData(*G)) {
        ++Stats.ForeignSkipped;
        return false;
      }
      if (G->isConstant() && !Write) {
        ++Stats.ConstantSkipped;
        return false;
      }
    }
    // What a virtual table contains.
    if (const auto *Load = dyn_cast<LoadInst>(Base); Load && !Write && isVtableAccess(*Load)) {
      ++Stats.ConstantSkipped;
      return false;
    }
    if (isPrivate(Pointer, Base)) {
      ++Stats.PrivateSkipped;
      return false;
    }
    return true;
  }

  bool isPrivate(Value *Pointer, const Value *Base) {
    const Value *Local = findAllocaForValue(Pointer);
    if (const auto *Argument = dyn_cast<llvm::Argument>(Base); Argument && Argument->hasByValAttr())
      Local = Argument;
    if (!Local)
      return false;
    auto [Known, IsNew] = Private.try_emplace(Local, false);
    if (IsNew)
      Known->second = !PointerMayBeCaptured(Local, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
    return Known->second;
  }

  Function &F;
  const TargetLibraryInfo &Libraries;
  const DataLayout &DL;
  bool PlainToo;
  Statistics &Stats;
  FunctionAccesses Found;
  DenseMap<const Value *, bool> Private;
};

} // namespace

FunctionAccesses findAccesses(Function &F, const TargetLibraryInfo &Libraries, bool PlainToo,
                              Statistics &Stats) {
  return Finder(F, Libraries, PlainToo, Stats).run();
}

} // namespace photofinish
