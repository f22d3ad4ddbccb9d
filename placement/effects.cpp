//===- effects.cpp - What an instruction may do beside accessing memory ----===//

#include "placement/effects.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace photofinish {

namespace {

Effects ofOrdering(AtomicOrdering Ordering, SyncScope::ID Scope, bool Loads, bool Stores) {
  Effects E;
  // Within one thread there is nothing to order.
  if (Scope == SyncScope::SingleThread)
    return E;
  E.Acquires = Loads && isAcquireOrStronger(Ordering);
  E.Releases = Stores && isReleaseOrStronger(Ordering);
  return E;
}

Effects ofIntrinsic(const IntrinsicInst &Call) {
  // Copies and fills return, whatever their attributes fail to say.
  if (isa<AnyMemIntrinsic>(Call) || Call.isAssumeLikeIntrinsic() || Call.isLifetimeStartOrEnd())
    return {};
  Effects E;
  bool IsPure = Call.doesNotAccessMemory();
  E.Acquires = E.Releases = !IsPure && !Call.hasFnAttr(Attribute::NoSync);
  E.Frees = !IsPure && !Call.hasFnAttr(Attribute::NoFree);
  E.Unwinds = !Call.doesNotThrow();
  E.NeverReturns = !Call.hasFnAttr(Attribute::WillReturn);
  return E;
}

/// What only computes from its operands and the memory they point to. Functions that allocate are
/// not among them: a program may bring its own, with locks.
bool onlyComputes(LibFunc Which) {
  switch (Which) {
  case LibFunc_abs:
  case LibFunc_labs:
  case LibFunc_llabs:
  case LibFunc_ffs:
  case LibFunc_ffsl:
  case LibFunc_ffsll:
  case LibFunc_isascii:
  case LibFunc_isdigit:
  case LibFunc_toascii:
  case LibFunc_memccpy:
  case LibFunc_memchr:
  case LibFunc_memrchr:
  case LibFunc_memcmp:
  case LibFunc_bcmp:
  case LibFunc_memcpy:
  case LibFunc_memmove:
  case LibFunc_mempcpy:
  case LibFunc_memset:
  case LibFunc_bcopy:
  case LibFunc_bzero:
  case LibFunc_stpcpy:
  case LibFunc_stpncpy:
  case LibFunc_strcat:
  case LibFunc_strncat:
  case LibFunc_strchr:
  case LibFunc_strrchr:
  case LibFunc_strcmp:
  case LibFunc_strncmp:
  case LibFunc_strcpy:
  case LibFunc_strncpy:
  case LibFunc_strcspn:
  case LibFunc_strspn:
  case LibFunc_strpbrk:
  case LibFunc_strlen:
  case LibFunc_strnlen:
  case LibFunc_strstr:
  case LibFunc_wcslen:
    return true;
  default:
    return false;
  }
}

/// Of a library function that the compiler knows: at most it sets errno, which is the thread's own,
/// or what it has been given a pointer to.
bool onlySets(const CallBase &Call) {
  return Call.onlyWritesMemory() && Call.hasFnAttr(Attribute::WillReturn) &&
         Call.hasFnAttr(Attribute::NoFree);
}

/// A function that is not defined here.
Effects ofDeclaration(const CallBase &Call, const Function &F, const TargetLibraryInfo &Libraries) {
  if (!Call.doesNotThrow())
    return Effects::all();
  if (Call.doesNotAccessMemory() && Call.hasFnAttr(Attribute::WillReturn))
    return {};
  LibFunc Which;
  if (!Libraries.getLibFunc(F, Which) || !Libraries.has(Which))
    return Effects::all();
  return onlyComputes(Which) || onlySets(Call) ? Effects{} : Effects::all();
}

} // namespace

bool isArithmetic(const CallBase &Call, const TargetLibraryInfo &Libraries) {
  const Function *F = Call.getCalledFunction();
  LibFunc Which;
  return F && F->isDeclaration() && Libraries.getLibFunc(*F, Which) && Libraries.has(Which) &&
         onlySets(Call) &&
         none_of(Call.args(), [](const Use &U) { return U->getType()->isPointerTy(); });
}

bool isFinite(const Loop &L, ScalarEvolution &SE) {
  return !isa<SCEVCouldNotCompute>(SE.getSymbolicMaxBackedgeTakenCount(&L));
}

ModuleEffects::ModuleEffects(Module &M, FunctionAnalysisManager &Analyses) : Analyses(Analyses) {
  CallGraph Graph(M);
  for (auto Component = scc_begin(&Graph); !Component.isAtEnd(); ++Component) {
    SmallVector<Function *, 4> Members;
    for (CallGraphNode *Node : *Component)
      if (Function *F = Node->getFunction(); F && !F->isDeclaration() && !F->isInterposable())
        Members.push_back(F);
    // How deep a recursion goes is not known.
    for (Function *F : Members)
      Known[F].NeverReturns = Component.hasCycle();
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (Function *F : Members) {
        Effects E = ofBody(*F);
        E |= Known[F];
        Changed |= E != Known[F];
        Known[F] = E;
      }
    }
  }
}

Effects ModuleEffects::ofBody(Function &F) const {
  Effects E;
  for (const Instruction &I : instructions(F))
    E |= of(I);
  auto &LI = Analyses.getResult<LoopAnalysis>(F);
  auto &SE = Analyses.getResult<ScalarEvolutionAnalysis>(F);
  ReversePostOrderTraversal<Function *> Order(&F);
  if (containsIrreducibleCFG<BasicBlock *>(Order, LI))
    E.NeverReturns = true;
  if (!E.NeverReturns)
    for (const Loop *L : LI.getLoopsInPreorder())
      E.NeverReturns |= !isFinite(*L, SE);
  return E;
}

Effects ModuleEffects::of(const Instruction &I) const {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return ofOrdering(Load->getOrdering(), Load->getSyncScopeID(), true, false);
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return ofOrdering(Store->getOrdering(), Store->getSyncScopeID(), false, true);
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return ofOrdering(RMW->getOrdering(), RMW->getSyncScopeID(), true, true);
  if (const auto *CX = dyn_cast<AtomicCmpXchgInst>(&I))
    return ofOrdering(CX->getMergedOrdering(), CX->getSyncScopeID(), true, true);
  if (const auto *FI = dyn_cast<FenceInst>(&I))
    return ofOrdering(FI->getOrdering(), FI->getSyncScopeID(), true, true);
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return ofCall(*Call);
  if (isa<UnreachableInst>(I) || isa<ResumeInst>(I) || isa<CleanupReturnInst>(I))
    return {.NeverReturns = true};
  return {};
}

Effects ModuleEffects::ofCall(const CallBase &Call) const {
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
    return ofIntrinsic(*Intrinsic);
  if (Call.isInlineAsm()) {
    // Without a memory clobber it only computes.
    const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
    bool IsAnything = Asm->canThrow() || StringRef(Asm->getConstraintString()).contains("{memory}");
    return IsAnything ? Effects::all() : Effects{};
  }
  const Function *F = Call.getCalledFunction();
  if (!F)
    return Effects::all();
  if (auto It = Known.find(F); It != Known.end()) {
    Effects E = It->second;
    E.Unwinds &= !Call.doesNotThrow();
    return E;
  }
  const Function &Caller = *Call.getFunction();
  return ofDeclaration(Call, *F,
                       Analyses.getResult<TargetLibraryAnalysis>(const_cast<Function &>(Caller)));
}

} // namespace photofinish
